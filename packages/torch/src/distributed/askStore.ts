// Asks a program whether it is the store at which ranks meet, before libtorch connects to it. Up to 2.0, libtorch reads
// from its connections on a thread of its own, and bytes that are not a store's end the process there.

import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** 'Is there a key "?"': a command, the number of keys, the length of the first one, the key; the answer is 0 or 1. */
const question = Buffer.from([4, ...int64(1), ...int64(1), 0x3f]);

function int64(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigInt64LE(BigInt(value));
  return bytes;
}

/**
 * Waits until a store answers.
 *
 * @throws Error if another program answers, or nothing in time
 *
 * @example
 * await askStore({ host: 'node1', port: 29500 }, 600);
 */
export async function askStore(
  place: { readonly host: string; readonly port: number },
  seconds: number,
): Promise<void> {
  const where = `${place.host}:${place.port}`;
  const end = performance.now() + seconds * 1000;
  for (let pause = 5; ; pause = Math.min(2 * pause, 500)) {
    const answer = await answerTo(question, place, Math.max(1, end - performance.now()));
    if (answer?.length === 1 && answer[0]! <= 1) return;
    if (answer !== undefined)
      throw new Error(`the program at ${where} is not a store of ranks; choose another port`);
    if (performance.now() > end)
      throw new Error(
        `nothing at ${where} answers like a store within ${seconds} s; does another program use that port?`,
      );
    await sleep(pause);
  }
}

/** Returns the first bytes of the answer; undefined if there is none: nobody listens yet, or hangs up, or is silent. */
function answerTo(
  bytes: Buffer,
  { host, port }: { readonly host: string; readonly port: number },
  milliseconds: number,
): Promise<Buffer | undefined> {
  return new Promise((done) => {
    const socket = connect({ host, port }, () => socket.write(bytes));
    const timer = setTimeout(() => socket.destroy(), milliseconds);
    let answer: Buffer | undefined;
    socket.on('data', (part) => {
      answer = part;
      socket.destroy();
    });
    socket.on('error', () => {});
    socket.on('close', () => {
      clearTimeout(timer);
      done(answer);
    });
  });
}
