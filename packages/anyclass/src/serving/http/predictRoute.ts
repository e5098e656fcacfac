import { named } from '../../inference/predictor.js';
import { Problem } from '../../web/problem.js';
import type { RequestImage } from '../bodies/jsonImages.js';
import type { JsonRequests } from '../bodies/jsonRequests.js';
import type { ModelVersion } from '../models/modelVersion.js';
import { logPrediction } from '../operation/predictionLog.js';
import { findModel, type ServerState } from '../operation/serverState.js';
import { answer, type Exchanged, type Outcome } from './predicting.js';
import { createPredictionText, type PredictionText } from './predictionText.js';
import { requestImages } from './requestImages.js';

/** POST /v1/predict: predicts one or more images or rows, and returns the predictions as JSON. */
export async function predictRoute(
  state: ServerState,
  json: JsonRequests,
  exchanged: Exchanged,
): Promise<string> {
  const { request: asked } = exchanged;
  let sent: readonly RequestImage[] = [];
  const { model, version, outcomes } = await answer(state, exchanged, async (body) => {
    const request = await requestImages(json, state, asked.headers['content-type'] ?? '', body);
    sent = request.images;
    return {
      model: findModel(state, request.model ?? queryModel(asked.query)),
      images: sent.map(({ bytes, row }) => row ?? { kind: 'encoded', bytes }),
    };
  });
  const [first] = outcomes;
  const areAllProblems = outcomes.every((outcome) => outcome instanceof Problem);
  if (areAllProblems && first instanceof Problem) throw first;
  const textOf = predictionText(version);
  const predictions = outcomes.map((outcome, i) => {
    const { name } = sent[i]!;
    if (outcome instanceof Problem) return JSON.stringify({ name, failure: outcome.message });
    if (state.predictions) {
      logPrediction(state, state.predictions, {
        requestId: asked.id,
        model: model.name,
        version: version.model.version,
        decision: version.model.decision,
        presenceScore: outcome.presenceScore,
        ...sent[i]!,
        prediction: namedAnswer(version, outcome),
      });
    }
    return textOf(name, outcome);
  });
  const names = `"model":${JSON.stringify(model.name)},"version":${JSON.stringify(version.model.version)}`;
  return `{${names},"predictions":[${predictions.join()}]}`;
}

const predictionTexts = new WeakMap<ModelVersion, PredictionText>();

function predictionText(version: ModelVersion): PredictionText {
  const known = predictionTexts.get(version);
  if (known) return known;
  const { description, decision } = version.model;
  const made = createPredictionText(description.classes, decision);
  predictionTexts.set(version, made);
  return made;
}

function queryModel(query: unknown): string | undefined {
  const model: unknown =
    typeof query === 'object' && query !== null ? Reflect.get(query, 'model') : undefined;
  const [first = undefined] = Array.isArray(model) ? model : [model];
  return typeof first === 'string' ? first : undefined;
}

function namedAnswer({ model }: ModelVersion, answer: Exclude<Outcome, Problem>) {
  const { classes } = model.description;
  const labels = classes.filter((_, j) => answer.labels[j] === 1);
  const { probabilities, presenceScore, outcome } = answer;
  return named({ name: '', probabilities, presenceScore, outcome, labels }, classes, model.decision);
}
