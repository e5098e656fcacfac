// JPEG-LS and JPEG 2000, decoded by WebAssembly in threads that start with the first such image. On damaged
// data, a decoder may run for minutes; a thread can be terminated.

import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { DataError } from '../../../errors/dataError.js';
import type { DeclaredSize } from './declaredSize.js';

export type CodecName = 'JPEG-LS' | 'JPEG 2000';

/** Samples from a codec: little endian, one or two bytes each. */
export interface DecodedFrame extends DeclaredSize {
  readonly bytes: Uint8Array;
  /** All of one color, then all of the next. */
  readonly isPlanar: boolean;
}

export interface CodecTask {
  readonly codec: CodecName;
  readonly encoded: Uint8Array;
}

export type CodecAnswer = { readonly frame: DecodedFrame } | { readonly failure: string };

// Threads run the built code: Node 20 cannot run TypeScript, and tests run from the sources.
const program = fileURLToPath(new URL('codecThread.js', import.meta.url)).replace(
  '/src/data/',
  '/dist/data/',
);

const idle: Worker[] = [];
const waiting: (() => void)[] = [];
let threads = 0;

/**
 * Decodes a frame in a thread.
 *
 * @param pixels sets the time limit: 3 seconds, plus 5 per million pixels
 *
 * @example
 * (await decodeFrame({ codec: 'JPEG-LS', encoded: fragment }, 512 * 512)).bits // 16
 */
export async function decodeFrame(task: CodecTask, pixels: number): Promise<DecodedFrame> {
  const seconds = 3 + (5 * pixels) / 1e6;
  const thread = await freeThread();
  const answer = await answerOf(thread, task, seconds);
  if (answer === undefined) {
    await thread.terminate();
  } else {
    thread.unref();
    idle.push(thread);
  }
  waiting.shift()?.();
  if (answer === undefined)
    throw new DataError(`damaged ${task.codec}: not decoded within ${Math.round(seconds)} s`);
  if ('failure' in answer) throw new DataError(`damaged ${task.codec}: ${answer.failure}`);
  return answer.frame;
}

async function freeThread(): Promise<Worker> {
  for (;;) {
    const thread = idle.pop();
    if (thread) {
      thread.ref();
      return thread;
    }
    if (threads < availableParallelism()) {
      return startedThread();
    }
    await new Promise<void>((resume) => waiting.push(resume));
  }
}

function startedThread(): Worker {
  const thread = new Worker(program, { execArgv: [] });
  threads += 1;
  thread.once('exit', () => {
    threads -= 1;
    if (idle.includes(thread)) idle.splice(idle.indexOf(thread), 1);
  });
  return thread;
}

/** The thread's answer; undefined if none came in time, or if the thread died. */
function answerOf(thread: Worker, task: CodecTask, seconds: number): Promise<CodecAnswer | undefined> {
  return new Promise((resolve) => {
    const onMessage = (answer: CodecAnswer) => finish(answer);
    const onError = (error: Error) => finish({ failure: error.message });
    const onExit = () => finish(undefined);
    const timer = setTimeout(onExit, seconds * 1000);
    const finish = (answer: CodecAnswer | undefined) => {
      clearTimeout(timer);
      thread.off('message', onMessage).off('error', onError).off('exit', onExit);
      resolve(answer);
    };
    thread.on('message', onMessage).on('error', onError).on('exit', onExit);
    thread.postMessage(task);
  });
}
