// Logs predictions for later labeling: one JSON line per image.

import { createHash } from 'node:crypto';
import type { NamedPrediction } from '../../inference/predictor.js';
import type { LineWriter } from './log.js';

export interface LoggedPrediction {
  readonly requestId: string;
  readonly model: string;
  readonly version: string;
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly prediction: NamedPrediction;
}

/** Logs a prediction. The image is not stored; its SHA-256 identifies it in an archive. */
export function logPrediction(lines: LineWriter, logged: LoggedPrediction): void {
  const { requestId, model, version, name, bytes, prediction } = logged;
  const { labels, isNegative, presence, probabilities } = prediction;
  lines.write(
    JSON.stringify({
      time: new Date().toISOString(),
      requestId,
      model,
      version,
      name,
      sha256: createHash('sha256').update(bytes).digest('hex'),
      labels,
      isNegative,
      presence: presence.probability,
      probabilities,
    }),
  );
}
