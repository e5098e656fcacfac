// A process that decodes images with sharp, one after another: encoded bytes on stdin, pixels or a reason on
// stdout. Started by decodePool.ts with its task as the argument; exits when its stdin ends.

import { once } from 'node:events';
import { constants, getPriority, setPriority } from 'node:os';
import { reasonOf } from '../../../../errors/reasonOf.js';
import { decodeWithSharp } from '../decode.js';
import { surveyImage } from '../surveyImage.js';
import { checkUntrusted } from '../untrusted.js';
import { type DecodeTask, decodeRequests } from './decodePool.js';
import { failureKind } from './failures.js';
import { frameHeader, frameReader } from './frames.js';

const { format, mostPixels }: DecodeTask = JSON.parse(process.argv[2] ?? '');

// Images of strangers must not take the core from the thread that answers.
if (mostPixels !== undefined && process.platform === 'linux')
  setPriority(Math.min(getPriority() + 5, constants.priority.PRIORITY_LOW));

let last: Promise<void> = Promise.resolve();
process.stdin.on(
  'data',
  frameReader((kind, bytes) => {
    last = last.then(() => answer(kind, bytes));
  }),
);

async function answer(request: number, bytes: Buffer): Promise<void> {
  let kind = 0;
  let payload: Uint8Array;
  try {
    if (mostPixels !== undefined) await checkUntrusted(bytes, mostPixels);
    const image = { kind: 'encoded', bytes } as const;
    payload =
      decodeRequests[request] === 'survey'
        ? Buffer.from(JSON.stringify(await surveyImage(image, format)))
        : await decodeWithSharp(image, format);
  } catch (error) {
    kind = failureKind(error);
    payload = Buffer.from(reasonOf(error));
  }
  process.stdout.write(frameHeader(kind, payload.length));
  if (!process.stdout.write(payload)) await once(process.stdout, 'drain');
}
