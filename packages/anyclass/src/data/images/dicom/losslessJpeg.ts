// Lossless JPEG (ITU-T T.81, annex H): each sample is predicted from its neighbors, and the difference is
// Huffman-coded. X-rays and scans in DICOM are often stored this way. libjpeg-turbo reads it only since
// version 3, and sharp not at all.

import { DataError } from '../../../errors/dataError.js';
import type { DecodedFrame } from './codecs.js';

interface Component {
  readonly id: number;
  table: HuffmanTable | undefined;
}

/** Values by code length: codes of length n start at `firstCode[n]`. */
interface HuffmanTable {
  readonly firstCode: Int32Array;
  readonly firstIndex: Int32Array;
  readonly counts: Uint8Array;
  readonly values: Uint8Array;
}

/**
 * Decodes a frame to interleaved, little-endian samples of one or two bytes.
 *
 * @example
 * decodeLosslessJpeg(fragment).bits // 12
 */
export function decodeLosslessJpeg(bytes: Uint8Array): DecodedFrame {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const tables: (HuffmanTable | undefined)[] = [];
  let frame: { width: number; height: number; bits: number; components: Component[] } | undefined;
  let restartInterval = 0;
  let at = 2;
  for (;;) {
    if (at + 4 > bytes.length) throw damaged('it is truncated');
    const marker = view.getUint16(at);
    const length = view.getUint16(at + 2);
    const [start, end] = [at + 4, at + 2 + length];
    if (marker < 0xff00 || length < 2 || end > bytes.length) throw damaged('a marker is missing');
    if (marker === 0xffc3) frame = readFrame(view, start, end);
    else if (marker === 0xffc4) readTables(bytes, start, end, tables);
    else if (marker === 0xffdd) restartInterval = view.getUint16(start);
    else if (marker === 0xffda) {
      if (!frame) throw damaged('it has no size');
      return readScan(bytes, start, end, frame, tables, restartInterval);
    } else if (marker >= 0xffc0 && marker <= 0xffcf && marker !== 0xffcc) {
      throw new DataError('the JPEG is declared as lossless but is of another kind');
    }
    at = end;
  }
}

function readFrame(view: DataView, start: number, end: number) {
  const count = end - start >= 6 ? view.getUint8(start + 5) : 0;
  if (count === 0 || end < start + 6 + 3 * count) throw damaged('its header is truncated');
  const components = Array.from({ length: count }, (_, i): Component => {
    if (view.getUint8(start + 7 + 3 * i) !== 0x11)
      throw new DataError('lossless JPEG with subsampled colors is not supported');
    return { id: view.getUint8(start + 6 + 3 * i), table: undefined };
  });
  const [bits, height, width] = [view.getUint8(start), view.getUint16(start + 1), view.getUint16(start + 3)];
  if (bits < 2 || bits > 16 || width === 0 || height === 0)
    throw damaged(`${width} x ${height} of ${bits} bits`);
  return { width, height, bits, components };
}

function readTables(
  bytes: Uint8Array,
  start: number,
  end: number,
  tables: (HuffmanTable | undefined)[],
): void {
  let at = start;
  while (at < end) {
    const slot = bytes[at]! & 15;
    const counts = new Uint8Array(17);
    counts.set(bytes.subarray(at + 1, at + 17), 1);
    const total = counts.reduce((sum, count) => sum + count, 0);
    const values = bytes.subarray(at + 17, at + 17 + total);
    at += 17 + total;
    if (at > end || values.some((value) => value > 16)) throw damaged('a Huffman table is invalid');
    const firstCode = new Int32Array(18);
    const firstIndex = new Int32Array(18);
    for (let n = 1, code = 0, index = 0; n <= 16; n++) {
      firstCode[n] = code;
      firstIndex[n] = index;
      code = (code + counts[n]!) << 1;
      index += counts[n]!;
    }
    tables[slot] = { firstCode, firstIndex, counts, values };
  }
}

function readScan(
  bytes: Uint8Array,
  start: number,
  end: number,
  { width, height, bits, components }: NonNullable<ReturnType<typeof readFrame>>,
  tables: readonly (HuffmanTable | undefined)[],
  restartInterval: number,
): DecodedFrame {
  const count = bytes[start] ?? 0;
  if (count !== components.length)
    throw new DataError('lossless JPEG with one scan per color is not supported');
  for (let i = 0; i < count; i++) components[i]!.table = tables[bytes[start + 2 + 2 * i]! >> 4];
  const predictor = bytes[start + 1 + 2 * count] ?? 0;
  const shift = bytes[start + 3 + 2 * count]! & 15;
  if (end < start + 4 + 2 * count || predictor < 1 || predictor > 7 || shift >= bits)
    throw damaged('its scan header is invalid');

  const stride = width * count;
  const samples = new Uint16Array(stride * height);
  const mask = (1 << bits) - 1;
  const initial = 1 << (bits - shift - 1);
  const reader = bitReader(bytes, end);
  let untilRestart = restartInterval;
  let restartRow = 0;
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      if (restartInterval > 0 && untilRestart === 0) {
        if (x !== 0) throw new DataError('lossless JPEG that restarts within a row is not supported');
        reader.restart();
        untilRestart = restartInterval;
        restartRow = y;
      }
      untilRestart -= 1;
      for (let c = 0; c < count; c++) {
        const i = y * stride + x * count + c;
        let predicted: number;
        if (y === restartRow) predicted = x === 0 ? initial : samples[i - count]!;
        else if (x === 0) predicted = samples[i - stride]!;
        else {
          const left = samples[i - count]!;
          const above = samples[i - stride]!;
          predicted = predict(predictor, left, above, samples[i - stride - count]!);
        }
        samples[i] = (predicted + reader.difference(components[c]!.table)) & (shift === 0 ? mask : 0xffff);
      }
    }
  }
  if (shift > 0) for (let i = 0; i < samples.length; i++) samples[i] = samples[i]! << shift;
  const out = bits > 8 ? new Uint8Array(samples.buffer) : Uint8Array.from(samples);
  return { bytes: out, width, height, samples: count, bits, isPlanar: false };
}

function predict(predictor: number, left: number, above: number, corner: number): number {
  switch (predictor) {
    case 1:
      return left;
    case 2:
      return above;
    case 3:
      return corner;
    case 4:
      return left + above - corner;
    case 5:
      return left + ((above - corner) >> 1);
    case 6:
      return above + ((left - corner) >> 1);
    default:
      return (left + above) >> 1;
  }
}

function bitReader(bytes: Uint8Array, start: number) {
  let at = start;
  let held = 0;
  let heldBits = 0;
  const fill = (wanted: number) => {
    while (heldBits < wanted) {
      const byte = bytes[at];
      if (byte === undefined) throw damaged('it is truncated');
      if (byte === 0xff) {
        if (bytes[at + 1] !== 0) throw damaged('it is truncated');
        at += 1; // the zero after FF is stuffing
      }
      at += 1;
      held = ((held << 8) | byte) & 0xffffff;
      heldBits += 8;
    }
  };
  const take = (count: number) => {
    fill(count);
    heldBits -= count;
    return (held >> heldBits) & ((1 << count) - 1);
  };
  return {
    difference(table: HuffmanTable | undefined): number {
      if (!table) throw damaged('a Huffman table is missing');
      let code = 0;
      for (let n = 1; n <= 16; n++) {
        code = (code << 1) | take(1);
        const index = code - table.firstCode[n]!;
        if (index >= table.counts[n]!) continue;
        const size = table.values[table.firstIndex[n]! + index]!;
        if (size === 0) return 0;
        if (size === 16) return 0x8000;
        const value = take(size);
        return value < 1 << (size - 1) ? value - (1 << size) + 1 : value;
      }
      throw damaged('a Huffman code is invalid');
    },
    restart(): void {
      heldBits = 0;
      if (bytes[at] !== 0xff || (bytes[at + 1]! & 0xf8) !== 0xd0)
        throw damaged('a restart marker is missing');
      at += 2;
    },
  };
}

function damaged(what: string): DataError {
  return new DataError(`damaged lossless JPEG: ${what}`);
}
