/** Lets batches run concurrently (shared), and the opening of a model on a GPU alone (exclusive). */
export interface DeviceGate {
  shared<T>(work: () => Promise<T>): Promise<T>;
  exclusive<T>(work: () => Promise<T>): Promise<T>;
}

/**
 * Creates a gate. While one thread captures a CUDA graph, no other thread of the process may allocate or
 * synchronize, so they wait here.
 *
 * @example
 * const gate = createDeviceGate();
 * await gate.exclusive(() => startInference(task));
 */
export function createDeviceGate(): DeviceGate {
  let running = 0;
  let alone: Promise<unknown> = Promise.resolve();
  let isHeld = false;
  let onIdle: (() => void) | undefined;

  return {
    async shared(work) {
      while (isHeld) await alone;
      running += 1;
      try {
        return await work();
      } finally {
        running -= 1;
        if (running === 0) onIdle?.();
      }
    },
    async exclusive(work) {
      while (isHeld) await alone;
      isHeld = true;
      const held = (async () => {
        if (running > 0) await new Promise<void>((idle) => (onIdle = idle));
        onIdle = undefined;
        return work();
      })();
      alone = held.catch(() => {});
      try {
        return await held;
      } finally {
        isHeld = false;
      }
    },
  };
}
