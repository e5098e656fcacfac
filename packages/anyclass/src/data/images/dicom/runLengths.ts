import { DataError } from '../../../errors/dataError.js';
import type { DicomHeader } from './dicomHeader.js';

/**
 * Decodes a frame of DICOM's RLE to plain samples, little endian, one color plane after another. Each byte of
 * the samples has its own segment, the most significant first (PS3.5, annex G).
 *
 * @example
 * decodeRunLengths(frame, header).length // width · height · samples · bytes
 */
export function decodeRunLengths(
  frame: Uint8Array,
  { width, height, samples, bitsAllocated }: DicomHeader,
): Uint8Array {
  const bytes = bitsAllocated / 8;
  const size = width * height;
  const view = new DataView(frame.buffer, frame.byteOffset, frame.length);
  const count = frame.length >= 64 ? view.getUint32(0, true) : 0;
  if (count !== samples * bytes) {
    throw new DataError(`damaged RLE: ${count} segments; expected ${samples * bytes}`);
  }
  const out = new Uint8Array(size * samples * bytes);
  for (let segment = 0; segment < count; segment++) {
    const start = view.getUint32(4 + 4 * segment, true);
    const end = segment + 1 < count ? view.getUint32(8 + 4 * segment, true) : frame.length;
    if (start < 64 || end < start || end > frame.length) throw new DataError('damaged RLE: segments overlap');
    const sample = Math.floor(segment / bytes);
    const byte = bytes - 1 - (segment % bytes);
    unpackBits(frame, start, end, out, sample * size * bytes + byte, bytes, size);
  }
  return out;
}

/** Writes `count` bytes, `stride` bytes apart. */
function unpackBits(
  source: Uint8Array,
  start: number,
  end: number,
  out: Uint8Array,
  offset: number,
  stride: number,
  count: number,
): void {
  let at = start;
  let done = 0;
  while (done < count) {
    if (at + 1 >= end) throw new DataError('damaged RLE: a segment is truncated');
    const control = source[at++]!;
    if (control === 128) continue;
    const isRun = control > 128;
    const length = Math.min(isRun ? 257 - control : control + 1, count - done);
    if (!isRun && at + length > end) throw new DataError('damaged RLE: a segment is truncated');
    for (let i = 0; i < length; i++) out[offset + stride * done++] = source[isRun ? at : at + i]!;
    at += isRun ? 1 : control + 1;
  }
}
