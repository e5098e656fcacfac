// The state that the parts of a running server share.

import { messageOf, reasonOf } from '../../errors/reasonOf.js';
import { Problem } from '../../web/problem.js';
import type { ServedModel } from '../models/servedModel.js';
import type { Admission } from '../requests/admission.js';
import type { Uploads } from '../requests/uploads.js';
import type { Audits } from './audits.js';
import type { LineWriter, Log } from './log.js';
import type { ServingMetrics } from './metrics.js';
import type { RequestLimits, ServeSettings } from './options.js';
import type { Shadows } from './shadows.js';

export interface ServerState {
  readonly settings: ServeSettings;
  readonly limits: RequestLimits;
  readonly token: string | undefined;
  /** The models by name, in the order given. */
  readonly models: ReadonlyMap<string, ServedModel>;
  readonly admission: Admission;
  readonly uploads: Uploads;
  readonly metrics: ServingMetrics;
  readonly log: Log;
  /** Where predictions are logged; undefined if they are not. */
  readonly predictions: LineWriter | undefined;
  /** Draws images to be labeled; undefined if none are. */
  readonly audits: Audits | undefined;
  /** Models that only log their answers; undefined without any. */
  readonly shadows: Shadows | undefined;
  /**
   * Whether the server is shutting down: it then reports that it is not ready, and closes each connection
   * after its answer.
   */
  isDraining: boolean;
}

/** Logs and counts an error that nobody expected. */
export function recordUnexpected(
  { metrics, log }: Pick<ServerState, 'metrics' | 'log'>,
  error: unknown,
): void {
  metrics.rejected('internal');
  try {
    log.error('unexpected error', {
      error: reasonOf(error),
      stack: error instanceof Error ? error.stack : messageOf(error),
    });
  } catch {
    // The error may be the log's own; then it is only counted.
  }
}

/**
 * Returns the model with a name; without a name, the only model.
 *
 * @throws Problem if there is none
 */
export function findModel({ models }: ServerState, name: string | undefined): ServedModel {
  const names = [...models.keys()].join(', ');
  if (name === undefined) {
    const [only, another] = models.values();
    if (only === undefined || another !== undefined)
      throw new Problem('bad-request', `several models are served; choose one with model: ${names}`);
    return only;
  }
  const found = models.get(name);
  if (!found) throw new Problem('not-found', `no model '${name}'; available: ${names}`);
  return found;
}

export function isReady({ models, isDraining }: ServerState): boolean {
  return !isDraining && [...models.values()].every((model) => model.isReady);
}
