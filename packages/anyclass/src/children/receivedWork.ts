// How a process that another one started learns its work: as the first message over their channel, or, on
// another machine, as the first line of its input.

import type { Readable } from 'node:stream';
import { isWorkMessage, type WorkMessage } from './work.js';

/** Set for a process that waits for its work: where it comes from. */
const workVariable = 'ANYCLASS_WORK';

/** What a process exits with if nobody sends its work: the same as if it had been asked to stop. */
const abandoned = 143;

/** Environment variables for a process that waits for its work. */
export function waitingForWork(source: 'channel' | 'input'): Readonly<Record<string, string>> {
  return { [workVariable]: source };
}

/**
 * Waits for this process's work; undefined if a user started it.
 *
 * @example
 * const received = await receivedWork();
 * received?.work.kind // 'train'
 */
export async function receivedWork(): Promise<WorkMessage | undefined> {
  const source = process.env[workVariable];
  if (source === undefined) return undefined;
  // It is not for processes that this one starts.
  delete process.env[workVariable];
  const message = source === 'channel' ? await firstMessage() : JSON.parse(await firstLine(process.stdin));
  if (!isWorkMessage(message)) process.exit(abandoned);
  return message;
}

function firstMessage(): Promise<unknown> {
  if (!process.connected) return Promise.resolve(undefined);
  return new Promise((resolve) => {
    const settle = (message?: unknown) => {
      process.off('message', settle);
      process.off('disconnect', settle);
      resolve(message);
    };
    process.on('message', settle);
    process.on('disconnect', settle);
  });
}

/** The first line of a stream; what follows it stays in the stream. */
function firstLine(stream: Readable): Promise<string> {
  return new Promise((resolve) => {
    const read: Buffer[] = [];
    const settle = (line: string) => {
      stream.off('data', onData);
      stream.off('end', onEnd);
      stream.pause();
      resolve(line);
    };
    const onEnd = () => settle('null');
    const onData = (data: Buffer) => {
      const end = data.indexOf('\n');
      read.push(end < 0 ? data : data.subarray(0, end));
      if (end < 0) return;
      settle(Buffer.concat(read).toString());
      if (end + 1 < data.length) stream.unshift(data.subarray(end + 1));
    };
    stream.on('data', onData);
    stream.on('end', onEnd);
  });
}
