import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { DataError } from '../../../errors/dataError.js';
import type { PixelFormat } from '../decode.js';
import { MachineError } from '../storage.js';
import { frameHeader, frameReader } from './frames.js';

/** Processes that decode images with sharp, side by side. */
export interface DecodePool {
  /** Decode an encoded image; rejects with the reason where that fails. */
  decode(bytes: Uint8Array): Promise<Uint8Array>;
  /** End the processes; what is in progress is refused. */
  close(): Promise<void>;
}

// Children run built code: Node 20 runs no TypeScript, and tests run from the sources.
const program = fileURLToPath(new URL('decodeProcess.js', import.meta.url)).replace(
  '/src/data/',
  '/dist/data/',
);

// One image in progress and the next one ready: a process never waits for us.
const imagesAtHand = 2;

/**
 * Decode in processes of our own. libvips takes locks that all threads of a process share: on 16 cores, threads gave 500
 * images a second and processes 2,200. A decoder that crashes on a damaged file, and again when it is tried once more, costs that one image.
 *
 * @example
 * const pool = createDecodePool({ width: 224, height: 224, channels: 3 }, 16);
 * (await pool.decode(jpeg)).length // 150528
 * await pool.close();
 */
export function createDecodePool(format: PixelFormat, processes: number): DecodePool {
  const workers = Array.from({ length: processes }, () => createWorker(format));
  const waiting: (() => void)[] = [];
  const free = () =>
    workers.find((worker) => worker.load() === 0) ?? workers.find((worker) => worker.load() < imagesAtHand);
  return {
    async decode(bytes) {
      let worker = free();
      while (worker === undefined) {
        await new Promise<void>((resume) => waiting.push(resume));
        worker = free();
      }
      try {
        return await worker.decode(bytes);
      } finally {
        waiting.shift()?.();
      }
    },
    async close() {
      await Promise.all(workers.map((worker) => worker.close()));
    },
  };
}

interface Task {
  readonly bytes: Uint8Array;
  /** Decoders that died on it. */
  deaths: number;
  resolve(pixels: Uint8Array): void;
  reject(reason: DataError): void;
}

function createWorker(format: PixelFormat) {
  const tasks: Task[] = []; // answered in the order in which they were sent
  let closed = false;
  let child: ChildProcess | undefined;

  const start = () => {
    const started = spawn(process.execPath, [program, JSON.stringify(format)], {
      stdio: ['pipe', 'pipe', 'inherit'],
      env: { ...process.env, UV_THREADPOOL_SIZE: '2' },
      // Ctrl-C is for us to handle: a decoder that died of it would look like one that a damaged image killed.
      detached: true,
    });
    started.stdout.on(
      'data',
      frameReader((kind, payload) => {
        const task = tasks.shift();
        if (kind === 0) task?.resolve(payload);
        else task?.reject(new (kind === 1 ? DataError : MachineError)(payload.toString('utf8')));
      }),
    );
    started.stdin.on('error', () => {}); // a broken pipe: 'close' tells what follows from it
    // 'close', not 'exit': only then all that it answered has been read.
    started.on('close', (code, signal) => {
      child = undefined;
      const why = closed ? 'the loader was closed' : `the decoder ended (${signal ?? code}) on this image`;
      // A healthy image may have met with a machine short of memory: only the second death tells against it.
      const first = tasks[0];
      if (first && ++first.deaths > 1) tasks.shift()?.reject(new DataError(why));
      if (closed) for (const task of tasks.splice(0)) task.reject(new DataError(why));
      else if (tasks.length > 0) for (const task of tasks) send(task);
    });
    return started;
  };
  const send = ({ bytes }: Task) => {
    child ??= start();
    child.stdin?.write(frameHeader(0, bytes.length));
    child.stdin?.write(bytes);
  };
  return {
    load: () => tasks.length,
    decode: (bytes: Uint8Array) =>
      new Promise<Uint8Array>((resolve, reject) => {
        if (closed) throw new DataError('the loader was closed');
        const task = { bytes, deaths: 0, resolve, reject };
        tasks.push(task);
        send(task);
      }),
    async close() {
      closed = true;
      const ending = child;
      if (!ending) return;
      const ended = new Promise((resolve) => ending.once('close', resolve));
      ending.kill('SIGKILL');
      await ended;
    },
  };
}
