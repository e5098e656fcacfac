// Randomly damaged checkpoints: truncated, with flipped bits, or rewritten; the same ones for the same seed.

import { readFileSync } from 'node:fs';
import { CheckpointError } from '../../src/serialization/errors.js';
import { withFile } from '../../src/serialization/randomAccessFile.js';
import { listZipEntries, readZipEntry } from '../../src/serialization/zip.js';
import { type Fixture, fixtures } from './fixture.js';
import { buildZip } from './zipBuilder.js';

/** A damaged file, and the checkpoint that it was made from. */
export interface DamagedFile {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly original: Fixture;
}

/**
 * Truncates files and changes bytes anywhere in them. The archive's checksums stay as they were.
 *
 * @example
 * randomlyDamaged(1, 2).length // 2 of each kind for every fixture: 72 with the 12 of PyTorch 1.13
 */
export function randomlyDamaged(seed: number, each: number): DamagedFile[] {
  const random = seededRandom(seed);
  return fixtures().flatMap((original) => {
    const whole = readFileSync(original.path);
    const files: DamagedFile[] = [];
    for (let i = 0; i < each; i++) {
      const length = random(whole.length);
      files.push({ name: `${original.name} cut at ${length}`, bytes: whole.subarray(0, length), original });
      const flipped = Uint8Array.from(whole);
      const at = random(whole.length);
      const bit = random(8);
      flipped[at]! ^= 1 << bit;
      files.push({
        name: `${original.name} with bit ${bit} of byte ${at} flipped`,
        bytes: flipped,
        original,
      });
      // The directory determines where everything is found.
      const rewired = Uint8Array.from(whole);
      const inDirectory = whole.length - 1 - random(Math.min(whole.length, 400));
      const value = random(256);
      rewired[inDirectory] = value;
      files.push({
        name: `${original.name} with byte ${inDirectory} set to ${value}`,
        bytes: rewired,
        original,
      });
    }
    return files;
  });
}

/**
 * Replaces some bytes of the pickles, in archives with correct checksums, as an attacker would.
 *
 * @example
 * rewritten(1, 2).length // 2 for every fixture
 */
export function rewritten(seed: number, each: number): DamagedFile[] {
  const random = seededRandom(seed);
  return fixtures().flatMap((original) => {
    const pieces = withFile(original.path, CheckpointError, (file) =>
      [...listZipEntries(file)].map(([name, entry]) => ({ name, data: readZipEntry(file, entry) })),
    );
    return Array.from({ length: each }, (_, i) => {
      const changed = pieces.map(({ name, data }) => ({
        name,
        data: name.endsWith('/data.pkl') ? withRandomBytes(data, random, 1 + random(3)) : data,
      }));
      return { name: `${original.name} rewritten, variant ${i}`, bytes: buildZip(changed), original };
    });
  });
}

function withRandomBytes(data: Uint8Array, random: (below: number) => number, count: number): Uint8Array {
  const changed = Uint8Array.from(data);
  // The new bytes come from the same pickle, where opcodes are common; random values would rarely be opcodes.
  for (let i = 0; i < count; i++) changed[random(changed.length)] = data[random(data.length)]!;
  return changed;
}

/** Returns a generator of whole numbers from 0 to below a bound (xorshift32: Marsaglia, "Xorshift RNGs", 2003). */
function seededRandom(seed: number): (below: number) => number {
  let state = seed | 0 || 1;
  return (below) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % below;
  };
}
