// Parses JSON bodies. A large one is parsed in a thread of its own: it may take seconds and any memory, and the
// thread that answers everybody else must not wait for it.

import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { InputFormat } from '../../data/dataset/inputs.js';
import { Problem } from '../../web/problem.js';
import type { ImageRequest } from './jsonImages.js';
import {
  type InferImages,
  type ParseAnswer,
  type ParseTask,
  parsedInfer,
  parsedPredict,
} from './parsedRequest.js';

/** Bytes of a body that are parsed faster than they are sent to a thread. */
const smallBody = 1 << 15;

/** Seconds that parsing may take, and megabytes. */
const parseSeconds = 10;
const parseMegabytes = 512;

export interface JsonRequests {
  /** Reads the body of a request to /v1/predict. @throws Problem that names the field */
  predict(body: Uint8Array): Promise<ImageRequest>;
  /** Reads the body of a request of the Open Inference Protocol. @throws Problem that names the field */
  infer(body: Uint8Array, format: InputFormat): Promise<InferImages>;
  close(): Promise<void>;
}

// Threads run the built code, because Node 20 cannot run TypeScript and tests run from the sources.
const program = fileURLToPath(new URL('parseThread.js', import.meta.url)).replace(
  '/src/serving/',
  '/dist/serving/',
);

/**
 * Creates the parser of a server; its thread starts with the first large body.
 *
 * @example
 * const json = createJsonRequests(32);
 * (await json.predict(body)).images.length // 1
 */
export function createJsonRequests(mostImages: number): JsonRequests {
  const thread = createParseThread();
  return {
    async predict(body) {
      if (body.length <= smallBody) return parsedPredict(body, mostImages);
      const answer = await thread.parse({ body, mostImages, format: undefined });
      if ('predict' in answer) return answer.predict;
      throw problemIn(answer);
    },
    async infer(body, format) {
      if (body.length <= smallBody) return parsedInfer(body, format, mostImages);
      const answer = await thread.parse({ body, mostImages, format });
      if ('infer' in answer) return answer.infer;
      throw problemIn(answer);
    },
    close: () => thread.close(),
  };
}

function problemIn(answer: ParseAnswer): Error {
  return 'problem' in answer
    ? new Problem(answer.problem.kind, answer.problem.message)
    : new Error('the parser answered another request');
}

/** A thread that parses one body after another, and is replaced if one is too much for it. */
function createParseThread() {
  let worker: Worker | undefined;
  let last: Promise<unknown> = Promise.resolve();

  const start = () => {
    const started = new Worker(program, {
      name: 'anyclass requests',
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: parseMegabytes },
    });
    started.on('error', () => {});
    started.on('exit', () => {
      if (worker === started) worker = undefined;
    });
    started.unref();
    return started;
  };

  const parse = (task: ParseTask) =>
    new Promise<ParseAnswer>((resolve, reject) => {
      worker ??= start();
      const own = worker;
      const settle = (how: () => void) => {
        clearTimeout(timer);
        own.off('message', onMessage).off('exit', onExit);
        how();
      };
      const onMessage = (answer: ParseAnswer) => settle(() => resolve(answer));
      const onExit = () =>
        settle(() => reject(new Problem('too-large', 'parsing the body takes too much memory')));
      const timer = setTimeout(() => {
        worker = undefined;
        void own.terminate();
        settle(() =>
          reject(new Problem('too-large', `the body could not be parsed within ${parseSeconds} s`)),
        );
      }, parseSeconds * 1000);
      own.on('message', onMessage).on('exit', onExit);
      // Copied only if it is part of a larger buffer; otherwise its memory moves to the thread.
      const { buffer, byteLength } = task.body;
      const isWhole = buffer instanceof ArrayBuffer && buffer.byteLength === byteLength;
      own.postMessage(task, isWhole ? [buffer] : []);
    });

  return {
    parse(task: ParseTask): Promise<ParseAnswer> {
      const answer = last.then(() => parse(task));
      last = answer.catch(() => {});
      return answer;
    },
    async close() {
      await worker?.terminate();
    },
  };
}
