// Kinds of damage to files: truncated, some bytes changed, a character inserted, a line dropped or doubled.

import { randomStream } from '../src/data/random/philox.js';

type Damage = (bytes: Buffer, draw: ReturnType<typeof randomStream>) => Buffer;

const marks = ['"', '{', ']', '\\', ',', '\n', '\u0000', '\ufffd', ' ', '<', '-', '9'];

const damages: readonly Damage[] = [
  (bytes, draw) => bytes.subarray(0, draw.below(bytes.length)),
  (bytes, draw) => {
    const copy = Buffer.from(bytes);
    for (let i = 0; i < 4; i++) copy[draw.below(copy.length)] = draw.below(256);
    return copy;
  },
  (bytes, draw) => {
    const at = draw.below(bytes.length);
    const mark = Buffer.from(marks[draw.below(marks.length)]!);
    return Buffer.concat([bytes.subarray(0, at), mark, bytes.subarray(at)]);
  },
  (bytes, draw) => {
    const lines = bytes.toString('latin1').split('\n');
    const at = draw.below(lines.length);
    lines.splice(at, 1, ...(draw.below(2) === 0 ? [] : [lines[at]!, lines[at]!]));
    return Buffer.from(lines.join('\n'), 'latin1');
  },
];

/** A damaged copy; the same for the same number. */
export function damaged(bytes: Buffer, number: number): Buffer {
  const draw = randomStream('sample', 2, 0, number);
  return bytes.length === 0
    ? Buffer.from(marks[draw.below(marks.length)]!)
    : damages[number % damages.length]!(bytes, draw);
}
