// The addresses of the worker scripts, which the build fills in: their names have hashes.

declare const WORKERS: Readonly<Record<string, string>>;

/** Starts a worker of the folder `workers`. */
export function startWorker(name: 'decide' | 'compare'): Worker {
  return new Worker(WORKERS[name]!, { type: 'module', name });
}
