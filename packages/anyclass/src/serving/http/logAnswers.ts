import type { NamedPrediction } from '../../inference/predictor.js';
import { Problem } from '../../web/problem.js';
import type { RequestImage } from '../bodies/jsonImages.js';
import { logPrediction } from '../operation/predictionLog.js';
import type { ServerState } from '../operation/serverState.js';
import type { ShadowAnswer } from '../operation/shadows.js';
import type { Answered, Outcome } from './predicting.js';

export interface AnswersToLog extends Answered {
  readonly requestId: string;
  readonly sent: readonly RequestImage[];
  prediction(outcome: Exclude<Outcome, Problem>): NamedPrediction;
}

/** Logs answers, if they are logged, once a model in the shadow has answered too; no client waits for that. */
export function logAnswers(state: ServerState, answers: AnswersToLog): void {
  const { predictions, shadows } = state;
  if (!predictions) return;
  const { requestId, model, version, outcomes, sent, prediction } = answers;
  const log = (shadow: readonly (ShadowAnswer | undefined)[]) =>
    outcomes.forEach((outcome, i) => {
      if (outcome instanceof Problem) return;
      logPrediction(state, predictions, {
        requestId,
        model: model.name,
        version: version.model.version,
        decision: version.model.decision,
        presenceScore: outcome.presenceScore,
        ...sent[i]!,
        prediction: prediction(outcome),
        shadow: shadow[i],
      });
    });
  if (!shadows) log([]);
  else
    shadows.ask(
      model.name,
      sent.map(({ bytes, row }) => row ?? { kind: 'encoded', bytes }),
      log,
    );
}
