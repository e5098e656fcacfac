// What is counted and logged about requests.

import { messageOf, reasonOf } from '../../errors/reasonOf.js';
import type { Answered } from '../../web/webApp.js';
import type { ServerState } from '../operation/serverState.js';

type Records = Pick<ServerState, 'metrics' | 'log'>;

/** Counts and logs a request; successful health checks and scrapes are frequent and are only counted. */
export function recordAnswer({ metrics, log }: Records, answered: Answered): void {
  const { requestId, method, path, route, status, milliseconds, problem, logged } = answered;
  if (problem) metrics.rejected(problem.kind);
  // Unknown paths share one label, because clients could make up any number of them.
  metrics.request(route ?? 'none', method, status, milliseconds / 1000);
  const isRoutine = status < 400 && (path.includes('/health/') || path === '/metrics');
  if (isRoutine) return;
  const fields = {
    requestId,
    method,
    path,
    status,
    milliseconds: Number(milliseconds.toFixed(2)),
    ...logged,
    ...(problem && { problem: problem.kind, detail: problem.message }),
  };
  if (status >= 500) log.warn('request', fields);
  else log.info('request', fields);
}

/** Logs why a request failed, which its client is not told. */
export function recordFailure(
  { log }: Records,
  error: unknown,
  request: { readonly requestId: string; readonly path: string },
): void {
  log.error('request failed', {
    ...request,
    error: reasonOf(error),
    stack: error instanceof Error ? error.stack : messageOf(error),
  });
}
