import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { DataError } from '../../../../errors/dataError.js';
import type { PixelFormat } from '../../../dataset/reading/pixelFormat.js';
import { MachineError } from '../../storage/storage.js';
import type { SurveyedImage } from '../surveyImage.js';
import { failureOf } from './failures.js';
import { frameHeader, frameReader } from './frames.js';

/** A pool of processes that decode images with sharp in parallel. */
export interface DecodePool {
  /** Decodes an encoded image; rejects with the reason if that fails. */
  decode(bytes: Uint8Array): Promise<Uint8Array>;
  /** Looks at the size, frames and levels of an encoded image. */
  survey(bytes: Uint8Array): Promise<SurveyedImage>;
  /** Stops the processes; images in progress are rejected. */
  close(): Promise<void>;
}

/** What a decoder process is started with. */
export interface DecodeTask {
  readonly format: PixelFormat;
  /** The most pixels of an image, if images come from strangers: their format is then checked too. */
  readonly mostPixels?: number | undefined;
}

export interface DecodePoolOptions extends Omit<DecodeTask, 'format'> {
  /** Seconds after which an image is given up, and its decoder ended. Default 300. */
  readonly seconds?: number | undefined;
}

/**
 * Megabytes of JavaScript objects in a process that decodes images of strangers. Pixels are not among them;
 * the limit on pixels covers those.
 */
const heapMegabytes = 512;

// Child processes run the built code: Node 20 cannot run TypeScript, and tests run from the sources.
const program = fileURLToPath(new URL('decodeProcess.js', import.meta.url)).replace(
  '/src/data/',
  '/dist/data/',
);

// One image in progress and the next one ready, so that a process never waits for us.
const imagesAtHand = 2;

/**
 * Creates a pool of decoder processes. libvips takes locks that all threads of a process share: on 16
 * cores, threads decoded 500 images per second, and processes 2,200. If decoders crash twice on the same
 * file, only that image is lost, and the same goes for one that takes too long.
 *
 * @example
 * const pool = createDecodePool({ width: 224, height: 224, channels: 3 }, 16);
 * (await pool.decode(jpeg)).length // 150528
 * await pool.close();
 */
export function createDecodePool(
  format: PixelFormat,
  processes: number,
  options: DecodePoolOptions = {},
): DecodePool {
  const workers = Array.from({ length: processes }, () => createWorker(format, options));
  const waiting: (() => void)[] = [];
  const free = () =>
    workers.find((worker) => worker.load() === 0) ?? workers.find((worker) => worker.load() < imagesAtHand);
  const ask = async (request: DecodeRequest, bytes: Uint8Array) => {
    let worker = free();
    while (worker === undefined) {
      await new Promise<void>((resume) => waiting.push(resume));
      worker = free();
    }
    try {
      return await worker.ask(request, bytes);
    } finally {
      waiting.shift()?.();
    }
  };
  return {
    decode: (bytes) => ask('pixels', bytes),
    survey: async (bytes) => JSON.parse(Buffer.from(await ask('survey', bytes)).toString('utf8')),
    async close() {
      await Promise.all(workers.map((worker) => worker.close()));
    },
  };
}

/** What a decoder process is asked for, by the kind of the message. */
export const decodeRequests = ['pixels', 'survey'] as const;

type DecodeRequest = (typeof decodeRequests)[number];

interface Task {
  readonly request: DecodeRequest;
  readonly bytes: Uint8Array;
  /** The number of decoders that died on it. */
  deaths: number;
  resolve(pixels: Uint8Array): void;
  reject(reason: DataError): void;
}

function createWorker(format: PixelFormat, { mostPixels, seconds = 300 }: DecodePoolOptions) {
  const tasks: Task[] = []; // answered in the order they were sent
  let closed = false;
  let child: ChildProcess | undefined;
  let timer: NodeJS.Timeout | undefined;
  let late: ChildProcess | undefined; // ended because it took too long; it may still have an answer

  /** Starts the time of the first task, which the process is now working on. */
  const watch = () => {
    clearTimeout(timer);
    if (tasks.length === 0) return;
    timer = setTimeout(() => {
      late = child;
      tasks.shift()?.reject(new DataError(`not decoded within ${seconds} s`));
      child?.kill('SIGKILL');
    }, seconds * 1000);
  };

  const start = () => {
    const limits = mostPixels === undefined ? [] : [`--max-old-space-size=${heapMegabytes}`];
    const task: DecodeTask = { format, mostPixels };
    const started = spawn(process.execPath, [...limits, program, JSON.stringify(task)], {
      // A stranger's image must not write to our log.
      stdio: ['pipe', 'pipe', mostPixels === undefined ? 'inherit' : 'ignore'],
      env: { ...process.env, UV_THREADPOOL_SIZE: '2' },
      // We handle Ctrl-C: a decoder that died of it would look like one killed by a damaged image.
      detached: true,
    });
    started.stdout.on(
      'data',
      frameReader((kind, payload) => {
        if (started === late) return;
        const task = tasks.shift();
        watch();
        if (kind === 0) task?.resolve(payload);
        else task?.reject(failureOf(kind, payload.toString('utf8')));
      }),
    );
    started.on('error', ({ message }) => {
      child = undefined;
      clearTimeout(timer);
      const problem = `the system cannot start another decoder process (${message}); raise the limits on memory and processes (ulimit -v, ulimit -u)`;
      for (const task of tasks.splice(0)) task.reject(new MachineError(problem));
    });
    started.stdin.on('error', () => {}); // a broken pipe is handled on 'close'
    // 'close' rather than 'exit': only then have all its answers been read.
    started.on('close', (code, signal) => {
      child = undefined;
      clearTimeout(timer);
      const why = closed ? 'the loader was closed' : `the decoder crashed (${signal ?? code}) on this image`;
      // The first death may be due to a lack of memory; only the second one counts against the image.
      const first = tasks[0];
      if (first && started !== late && ++first.deaths > 1) tasks.shift()?.reject(new DataError(why));
      if (closed) for (const task of tasks.splice(0)) task.reject(new DataError(why));
      else if (tasks.length > 0) for (const task of tasks) send(task);
      watch();
    });
    return started;
  };
  const send = ({ request, bytes }: Task) => {
    child ??= start();
    child.stdin?.write(frameHeader(decodeRequests.indexOf(request), bytes.length));
    child.stdin?.write(bytes);
  };
  return {
    load: () => tasks.length,
    ask: (request: DecodeRequest, bytes: Uint8Array) =>
      new Promise<Uint8Array>((resolve, reject) => {
        if (closed) throw new DataError('the loader was closed');
        const task = { request, bytes, deaths: 0, resolve, reject };
        tasks.push(task);
        send(task);
        if (tasks.length === 1) watch();
      }),
    async close() {
      closed = true;
      clearTimeout(timer);
      const ending = child;
      if (!ending) return;
      const ended = new Promise((resolve) => ending.once('close', resolve));
      ending.kill('SIGKILL');
      await ended;
    },
  };
}
