import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { UserError } from '../../errors/userError.js';
import type {
  BatchAnswer,
  BatchMessage,
  BatchRequest,
  OpenedModel,
  WorkerMessage,
  WorkerTask,
} from './workerMessages.js';

/** A model running in its own thread. */
export interface InferenceThread {
  readonly model: OpenedModel;
  /** Memory for decoded images, one after another; see `WorkerTask.slots`. */
  readonly pixels: Uint8Array;
  /** Most instances per batch; fewer than the task says if images are large. */
  readonly batchSize: number;
  /** Most batches that are scored at once: a GPU takes the next one while it still computes another. */
  readonly mostStarted: number;
  /** Scores a batch. */
  score(request: BatchRequest): Promise<BatchAnswer>;
  /** Adds a listener that is called once, with the reason, if the thread dies. */
  onDeath(listener: (reason: string) => void): void;
  close(): Promise<void>;
}

// Threads run the built code, because Node 20 cannot run TypeScript and tests run from the sources.
const program = fileURLToPath(new URL('inferenceWorker.js', import.meta.url)).replace(
  '/src/serving/',
  '/dist/serving/',
);

/**
 * Opens a model in a thread and warms it up.
 *
 * @throws UserError if the model cannot be opened
 *
 * @example
 * const thread = await startInference({ model: 'model.onnx', device: 'cpu', batchSize: 32, slots: 64, … });
 */
export async function startInference(task: WorkerTask): Promise<InferenceThread> {
  // Set here because libraries do not see a worker's own environment. OpenMP's threads would otherwise spin
  // while they wait, on cores that decoding and HTTP need.
  process.env['OMP_WAIT_POLICY'] ??= 'passive';
  // Without this process's Node options, which point to the sources in tests.
  const worker = new Worker(program, { workerData: task, name: 'anyclass inference', execArgv: [] });
  const pending = new Map<number, { resolve(answer: BatchAnswer): void; reject(error: Error): void }>();
  let requests = 0;
  let death: string | undefined;
  let isClosing = false;
  const deathListeners: ((reason: string) => void)[] = [];
  const die = (reason: string) => {
    if (death !== undefined) return;
    death = reason;
    for (const { reject } of pending.values()) reject(new Error(reason));
    pending.clear();
    if (!isClosing) for (const listener of deathListeners) listener(reason);
  };

  const opened = await new Promise<Pick<InferenceThread, 'model' | 'pixels' | 'batchSize' | 'mostStarted'>>(
    (resolve, reject) => {
      worker.on('error', (error) => {
        reject(error);
        die(error.message);
      });
      worker.on('exit', (code) => {
        reject(new Error(`the inference thread exited with code ${code}`));
        die(`the inference thread exited with code ${code}`);
      });
      worker.on('message', (message: WorkerMessage) => {
        if (message.type === 'opened') resolve({ ...message, pixels: new Uint8Array(message.pixels) });
        else if (message.type === 'refused')
          reject(message.isMistake ? new UserError(message.reason) : new Error(message.reason));
        else {
          const asked = pending.get(message.id);
          pending.delete(message.id);
          if (message.type === 'scored') asked?.resolve(message.answer);
          else asked?.reject(new Error(message.reason));
        }
      });
    },
  ).catch(async (error) => {
    await worker.terminate();
    throw error;
  });

  return {
    ...opened,
    score(request) {
      if (death !== undefined) return Promise.reject(new Error(death));
      if (pending.size >= opened.mostStarted)
        return Promise.reject(new Error('too many batches are being computed'));
      return new Promise((resolve, reject) => {
        const message: BatchMessage = { id: requests++, request };
        pending.set(message.id, { resolve, reject });
        worker.postMessage(message);
      });
    },
    onDeath: (listener) => void deathListeners.push(listener),
    async close() {
      isClosing = true;
      if (death !== undefined) return;
      const ended = once(worker, 'exit');
      worker.postMessage('close');
      await ended;
    },
  };
}
