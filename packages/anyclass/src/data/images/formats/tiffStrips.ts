// Levels of the simplest TIFFs: one 16-bit gray image in strips, uncompressed or deflated, as Python's
// tifffile and microscopes write them. For these, libvips takes longer to return the levels than everything
// that follows. It reads all other TIFFs, and says what is wrong with a damaged one.

import { promisify } from 'node:util';
import { inflate } from 'node:zlib';
import { checkPixels } from '../../dataset/reading/pixelLimit.js';
import type { Levels } from '../levels/levels.js';

const inflated = promisify(inflate);

/** The values of a directory, by tag number. */
type Directory = ReadonlyMap<number, readonly number[]>;

const bytesOfType: Readonly<Record<number, number>> = { 1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 7: 1, 12: 8 };

/**
 * Tags that must have these values, or default to them, to be read here: 16 bits, one sample, black
 * is 0, upright, unsigned.
 */
const plain: readonly (readonly [tag: number, expected: number, standard: number])[] = [
  [258, 16, 1],
  [277, 1, 1],
  [262, 1, -1],
  [266, 1, 1],
  [274, 1, 1],
  [339, 1, 1],
];
/** Tags that rule a file out: tiles, subimages, and extra samples such as transparency. */
const others = [322, 330, 338];

/** The most bytes that deflate can produce from one byte. */
const mostInflated = 1032;

/**
 * The levels of a plain TIFF; undefined for any other TIFF, and for a damaged one.
 *
 * @example
 * (await tiffLevels(await readFile('scan.tif'), {}))?.values // Uint16Array
 */
export async function tiffLevels(
  bytes: Uint8Array,
  { pixelLimit }: { readonly pixelLimit?: number | undefined },
): Promise<Levels | undefined> {
  const directory = readDirectory(bytes);
  if (!directory || others.some((tag) => directory.has(tag))) return undefined;
  const one = (tag: number, standard: number) => directory.get(tag)?.[0] ?? standard;
  if (plain.some(([tag, expected, standard]) => one(tag, standard) !== expected)) return undefined;
  const [width, height] = [one(256, 0), one(257, 0)];
  checkPixels(width, height, pixelLimit);
  const values = await readStrips(bytes, directory, width, height);
  if (!values) return undefined;
  if (one(317, 1) === 2) addUp(values, width);
  return { width, height, channels: 1, values, slope: 1, intercept: 0 };
}

/** The directory of a little-endian file; undefined if there are several. */
function readDirectory(bytes: Uint8Array): Directory | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  if (bytes.length < 8 || view.getUint32(0, true) !== 0x2a4949) return undefined;
  const at = view.getUint32(4, true);
  if (at + 2 > bytes.length) return undefined;
  const count = view.getUint16(at, true);
  const end = at + 2 + 12 * count;
  if (end + 4 > bytes.length || view.getUint32(end, true) !== 0) return undefined;
  const directory = new Map<number, number[]>();
  // A damaged file may have thousands of entries, each as long as the file itself.
  let room = bytes.length;
  for (let entry = at + 2; entry < end; entry += 12) {
    const type = view.getUint16(entry + 2, true);
    const length = view.getUint32(entry + 4, true);
    const size = length * (bytesOfType[type] ?? 1);
    const place = size <= 4 ? entry + 8 : view.getUint32(entry + 8, true);
    room -= size;
    if (place + size > bytes.length || room < 0) return undefined;
    const value = (i: number) =>
      type === 3 ? view.getUint16(place + 2 * i, true) : view.getUint32(place + 4 * i, true);
    // Texts and fractions are not needed here.
    const isWhole = type === 3 || type === 4;
    directory.set(view.getUint16(entry, true), isWhole ? Array.from({ length }, (_, i) => value(i)) : []);
  }
  return directory;
}

/** The numbers as stored; undefined if strips are missing or have the wrong size. */
async function readStrips(
  bytes: Uint8Array,
  directory: Directory,
  width: number,
  height: number,
): Promise<Uint16Array | undefined> {
  const compression = directory.get(259)?.[0] ?? 1;
  const isDeflated = compression === 8 || compression === 32946;
  const predictor = directory.get(317)?.[0] ?? 1;
  if (!(isDeflated && predictor <= 2) && !(compression === 1 && predictor === 1)) return undefined;
  const rows = Math.min(height, directory.get(278)?.[0] ?? height);
  const offsets = directory.get(273) ?? [];
  const sizes = directory.get(279) ?? [];
  const strips = rows > 0 ? Math.ceil(height / rows) : 0;
  if (strips === 0 || width === 0 || offsets.length !== strips || sizes.length !== strips) return undefined;
  const total = sizes.reduce((sum, size) => sum + size, 0);
  if (total * (isDeflated ? mostInflated : 1) < 2 * width * height) return undefined;
  const first = bytes.byteOffset + offsets[0]!;
  const isInOrder = offsets.every((offset, i) => i === 0 || offset === offsets[i - 1]! + sizes[i - 1]!);
  if (!isDeflated && isInOrder && first % 2 === 0 && total === 2 * width * height) {
    const isThere = offsets[0]! + total <= bytes.length;
    return isThere ? new Uint16Array(bytes.buffer, first, width * height) : undefined;
  }
  const values = new Uint16Array(width * height);
  const out = new Uint8Array(values.buffer);
  for (let i = 0; i < strips; i++) {
    const from = 2 * width * rows * i;
    const length = Math.min(2 * width * rows, out.length - from);
    const [start, end] = [offsets[i]!, offsets[i]! + sizes[i]!];
    if (end > bytes.length) return undefined;
    const stored = bytes.subarray(start, end);
    // In one piece: the default chunks of 16 KiB take twice as long.
    const room = { chunkSize: Math.max(64, length), maxOutputLength: length };
    const strip = isDeflated ? await inflated(stored, room).catch(() => {}) : stored;
    if (strip?.length !== length) return undefined;
    out.set(strip, from);
  }
  return values;
}

/** Undoes the horizontal predictor, which stores each value as its difference from the one on its left. */
function addUp(values: Uint16Array, width: number): void {
  for (let row = 0; row < values.length; row += width) {
    let sum = 0;
    for (let i = row; i < row + width; i++) {
      sum = (sum + values[i]!) & 0xffff;
      values[i] = sum;
    }
  }
}
