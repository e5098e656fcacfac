// A process that decodes images with sharp, one after another: encoded bytes on stdin, pixels or a reason on
// stdout. Started by decodePool.ts with its task as the argument; exits when its stdin ends.

import { once } from 'node:events';
import { constants, getPriority, setPriority } from 'node:os';
import { reasonOf } from '../../../../errors/reasonOf.js';
import { decodeWithSharp } from '../decode.js';
import { checkUntrusted } from '../untrusted.js';
import type { DecodeTask } from './decodePool.js';
import { failureKind } from './failures.js';
import { frameHeader, frameReader } from './frames.js';

const { format, mostPixels }: DecodeTask = JSON.parse(process.argv[2] ?? '');

// Images of strangers must not take the core from the thread that answers.
if (mostPixels !== undefined && process.platform === 'linux')
  setPriority(Math.min(getPriority() + 5, constants.priority.PRIORITY_LOW));

let last: Promise<void> = Promise.resolve();
process.stdin.on(
  'data',
  frameReader((_kind, bytes) => {
    last = last.then(() => answer(bytes));
  }),
);

async function answer(bytes: Buffer): Promise<void> {
  let kind = 0;
  let payload: Uint8Array;
  try {
    if (mostPixels !== undefined) await checkUntrusted(bytes, mostPixels);
    payload = await decodeWithSharp({ kind: 'encoded', bytes }, format);
  } catch (error) {
    kind = failureKind(error);
    payload = Buffer.from(reasonOf(error));
  }
  process.stdout.write(frameHeader(kind, payload.length));
  if (!process.stdout.write(payload)) await once(process.stdout, 'drain');
}
