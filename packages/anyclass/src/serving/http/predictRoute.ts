import { named } from '../../inference/predictor.js';
import type { ModelVersion } from '../models/modelVersion.js';
import { logPrediction } from '../predictionLog.js';
import { Problem } from '../problem.js';
import { findModel, type ServerState } from '../serverState.js';
import type { AppContext } from './appTypes.js';
import { answer, type Outcome } from './predicting.js';
import { type RequestImage, requestImages } from './requestImages.js';
import type { PredictResponse } from './schemas.js';

/** POST /v1/predict: the predictions of one image or several. */
export async function predictRoute(state: ServerState, c: AppContext): Promise<Response> {
  let sent: readonly RequestImage[] = [];
  const { model, version, outcomes } = await answer(state, c, async (body) => {
    const request = await requestImages(c.req.header('content-type') ?? '', body);
    sent = request.images;
    return {
      model: findModel(state, request.model ?? c.req.query('model')),
      images: sent.map(({ bytes }) => ({ kind: 'encoded', bytes })),
    };
  });
  const [first] = outcomes;
  const areAllProblems = outcomes.every((outcome) => outcome instanceof Problem);
  if (areAllProblems && first instanceof Problem) throw first;
  const predictions = outcomes.map((outcome, i) => {
    const { name } = sent[i]!;
    if (outcome instanceof Problem) return { name, failure: outcome.message };
    const prediction = namedAnswer(version, outcome);
    if (state.predictions) {
      logPrediction(state.predictions, {
        requestId: c.get('requestId'),
        model: model.name,
        version: version.model.version,
        ...sent[i]!,
        prediction,
      });
    }
    return { name, ...prediction };
  });
  const response = { model: model.name, version: version.model.version, predictions };
  return c.json(response satisfies JsonOf<PredictResponse>);
}

type JsonOf<T> = T extends object ? { readonly [Key in keyof T]: JsonOf<T[Key]> } : T;

function namedAnswer({ model }: ModelVersion, outcome: Exclude<Outcome, Problem>) {
  const { classes } = model.description;
  const labels = classes.filter((_, j) => outcome.labels[j] === 1);
  const { probabilities, presenceScore } = outcome;
  return named({ name: '', probabilities, presenceScore, labels }, classes, model.decision);
}
