/**
 * Runs at most `limit` tasks at once, started in the order they were requested.
 *
 * @example
 * const limited = limiter(8);
 * await Promise.all(rows.map((row) => limited(() => decode(row))));
 */
export function limiter(limit: number): <T>(task: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = [];
  let head = 0;
  let running = 0;
  const release = () => {
    const next = waiting[head];
    if (next === undefined) {
      running -= 1;
      return;
    }
    head += 1;
    if (head > 1024 && head * 2 > waiting.length) {
      waiting.splice(0, head);
      head = 0;
    }
    next();
  };
  return async (task) => {
    if (running < limit) running += 1;
    else await new Promise<void>((begin) => waiting.push(begin));
    try {
      return await task();
    } finally {
      release();
    }
  };
}

/**
 * Waits for all tasks, then throws the first error. Unlike with `Promise.all`, nothing is still
 * running when this returns.
 *
 * @example
 * await settleAll([readInto(0), readInto(1)])
 */
export async function settleAll<T>(tasks: readonly Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(tasks);
  return Promise.all(tasks);
}
