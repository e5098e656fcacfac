import { type ExplainOptions, openExplainer } from '../explain/explainer.js';
import { type ExplanationFolder, explanationFolder } from '../explain/explanationFolder.js';
import type { Predictor, PredictorInput } from '../inference/predictor.js';

/** What `predict` needs of a predictor. */
export type BatchPredictor = Disposable &
  Pick<Predictor, 'description' | 'decision' | 'remarks' | 'predict'> & {
    /** Writes the page of the heat maps; returns its path. */
    finish?(): string | undefined;
  };

/**
 * Opens a predictor that also writes heat maps of what it predicts to a folder, as `explain` does.
 *
 * @example
 * using predictor = await heatMapPredictor('runs/sewer', 'heat', {});
 */
export async function heatMapPredictor(
  model: string,
  out: string,
  options: Pick<ExplainOptions, 'decision' | 'device' | 'preparation'>,
): Promise<BatchPredictor> {
  const explainer = await openExplainer(model, options);
  const { description, decision, remarks, reading } = explainer;
  let folder: ExplanationFolder | undefined;
  return {
    description,
    decision,
    remarks,
    async *predict(inputs) {
      for await (const explanation of explainer.explain(images(inputs))) {
        if ('failure' in explanation) {
          yield explanation;
          continue;
        }
        folder ??= explanationFolder(out, { model, classes: description.classes, decision, reading });
        await folder.add(explanation);
        yield explanation.prediction;
      }
    },
    finish: () => folder?.finish(),
    [Symbol.dispose]: () => explainer[Symbol.dispose](),
  };
}

async function* images(inputs: Iterable<PredictorInput> | AsyncIterable<PredictorInput>) {
  for await (const input of inputs) if ('read' in input) yield input;
}
