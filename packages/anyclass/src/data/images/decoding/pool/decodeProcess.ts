// A process that decodes images with sharp, one after another: encoded bytes on stdin, pixels or a reason on
// stdout. Started by decodePool.ts with the format as its argument; exits when its stdin ends.

import { once } from 'node:events';
import { reasonOf } from '../../../../errors/reasonOf.js';
import type { PixelFormat } from '../../../dataset/reading/pixelFormat.js';
import { MachineError } from '../../storage/storage.js';
import { decodeWithSharp } from '../decode.js';
import { frameHeader, frameReader } from './frames.js';

const format: PixelFormat = JSON.parse(process.argv[2] ?? '');

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
    payload = await decodeWithSharp({ kind: 'encoded', bytes }, format);
  } catch (error) {
    kind = error instanceof MachineError ? 2 : 1;
    payload = Buffer.from(reasonOf(error));
  }
  process.stdout.write(frameHeader(kind, payload.length));
  if (!process.stdout.write(payload)) await once(process.stdout, 'drain');
}
