// DICOM files for tests: explicit little endian, with the attributes that determine how pixels are shown.

import { Buffer } from 'node:buffer';

/** An attribute: its tag, its value type, and the value; numbers are written as the type requires. */
export type Attribute = readonly [
  tag: number,
  vr: string,
  value: string | number | readonly number[] | Buffer,
];

export interface DicomContent {
  readonly width: number;
  readonly height: number;
  /** Plain pixels, or the compressed frames. */
  readonly pixels: Buffer | readonly Buffer[];
  readonly bits?: 8 | 16;
  readonly samples?: 1 | 3;
  readonly isSigned?: boolean;
  readonly photometric?: string;
  readonly transferSyntax?: string;
  readonly attributes?: readonly Attribute[];
}

export const transferSyntaxes = {
  plain: '1.2.840.10008.1.2.1',
  jpeg: '1.2.840.10008.1.2.4.50',
  losslessJpeg: '1.2.840.10008.1.2.4.70',
  runLengths: '1.2.840.10008.1.2.5',
} as const;

export function dicomFile(content: DicomContent): Buffer {
  const { width, height, bits = 16, samples = 1, isSigned = false, photometric = 'MONOCHROME2' } = content;
  const { transferSyntax = transferSyntaxes.plain, attributes = [], pixels } = content;
  const meta = element([0x00020010, 'UI', transferSyntax]);
  const elements: Attribute[] = [
    [0x00280002, 'US', samples],
    [0x00280004, 'CS', photometric],
    ...(samples === 3 ? [[0x00280006, 'US', 0] as const] : []),
    [0x00280010, 'US', height],
    [0x00280011, 'US', width],
    [0x00280100, 'US', bits],
    [0x00280101, 'US', bits],
    [0x00280102, 'US', bits - 1],
    [0x00280103, 'US', isSigned ? 1 : 0],
  ];
  const given = new Set(attributes.map(([tag]) => tag));
  const all = [...elements.filter(([tag]) => !given.has(tag)), ...attributes].sort(([a], [b]) => a - b);
  return Buffer.concat([
    Buffer.alloc(128),
    Buffer.from('DICM'),
    element([0x00020000, 'UL', meta.length]),
    meta,
    ...all.map(element),
    Buffer.isBuffer(pixels) ? element([0x7fe00010, 'OW', pixels]) : encapsulated(pixels),
  ]);
}

/** A sequence with one item, as the value of an attribute of type SQ. */
export function item(attributes: readonly Attribute[]): Buffer {
  const content = Buffer.concat(attributes.map(element));
  return Buffer.concat([tagBytes(0xfffee000), uint32(content.length), content]);
}

/** A frame in DICOM's RLE: 16-bit samples as one segment of high bytes and one of low bytes. */
export function runLengths(values: Uint16Array): Buffer {
  const segments = [8, 0].map((shift) => packed(Uint8Array.from(values, (value) => value >> shift)));
  const header = Buffer.alloc(64);
  header.writeUInt32LE(2, 0);
  header.writeUInt32LE(64, 4);
  header.writeUInt32LE(64 + segments[0]!.length, 8);
  return Buffer.concat([header, ...segments]);
}

/** PackBits: runs of three or more, otherwise literals. */
function packed(bytes: Uint8Array): Buffer {
  const out: number[] = [];
  for (let at = 0; at < bytes.length; ) {
    let run = 1;
    while (run < 128 && bytes[at + run] === bytes[at]) run++;
    if (run >= 3) {
      out.push(257 - run, bytes[at]!);
      at += run;
    } else {
      const literal = bytes.subarray(at, at + Math.min(5, bytes.length - at));
      out.push(literal.length - 1, ...literal);
      at += literal.length;
    }
  }
  return Buffer.from(out.length % 2 === 0 ? out : [...out, 0]);
}

/** Lossless JPEG of samples with a predictor; each difference follows a five-bit code for its size. */
export function losslessJpeg(values: Uint16Array, width: number, height: number, predictor: number): Buffer {
  const stream: number[] = [];
  const write = (value: number, bits: number) => {
    for (let bit = bits - 1; bit >= 0; bit--) stream.push((value >> bit) & 1);
  };
  const at = (x: number, y: number) => values[y * width + x]!;
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const difference = ((at(x, y) - predicted(at, x, y, predictor) + 0x18000) & 0xffff) - 0x8000;
      const size = difference === -0x8000 ? 16 : 32 - Math.clz32(Math.abs(difference));
      write(size, 5);
      if (size < 16) write(difference < 0 ? difference + (1 << size) - 1 : difference, size);
    }
  }
  while (stream.length % 8 !== 0) stream.push(1);
  const data: number[] = [];
  for (let i = 0; i < stream.length; i += 8) {
    const byte = Number.parseInt(stream.slice(i, i + 8).join(''), 2);
    data.push(byte, ...(byte === 0xff ? [0] : []));
  }
  const counts = Array.from({ length: 16 }, (_, i) => (i === 4 ? 17 : 0));
  const sizes = Array.from({ length: 17 }, (_, size) => size);
  const bytes = [
    ...[0xff, 0xd8, 0xff, 0xc3, 0, 11, 16, height >> 8, height & 255, width >> 8, width & 255, 1, 1, 0x11, 0],
    ...[0xff, 0xc4, 0, 36, 0, ...counts, ...sizes],
    ...[0xff, 0xda, 0, 8, 1, 1, 0, predictor, 0, 0, ...data, 0xff, 0xd9],
  ];
  return Buffer.from(bytes.length % 2 === 0 ? bytes : [...bytes, 0]);
}

/** Directly from the standard's table. */
function predicted(at: (x: number, y: number) => number, x: number, y: number, predictor: number): number {
  if (x === 0 && y === 0) return 0x8000;
  if (y === 0) return at(x - 1, y);
  if (x === 0) return at(x, y - 1);
  const [a, b, c] = [at(x - 1, y), at(x, y - 1), at(x - 1, y - 1)];
  return [0, a, b, c, a + b - c, a + ((b - c) >> 1), b + ((a - c) >> 1), (a + b) >> 1][predictor]!;
}

function element([tag, vr, value]: Attribute): Buffer {
  const bytes = valueBytes(vr, value);
  const isLong = ['OW', 'OB', 'SQ', 'UN'].includes(vr);
  const length = isLong ? Buffer.concat([Buffer.alloc(2), uint32(bytes.length)]) : uint16(bytes.length);
  return Buffer.concat([tagBytes(tag), Buffer.from(vr), length, bytes]);
}

function valueBytes(vr: string, value: Attribute[2]): Buffer {
  if (Buffer.isBuffer(value)) return value.length % 2 === 0 ? value : Buffer.concat([value, Buffer.alloc(1)]);
  if (typeof value === 'string')
    return Buffer.from(value.length % 2 === 0 ? value : `${value}${vr === 'UI' ? '\0' : ' '}`);
  const numbers = typeof value === 'number' ? [value] : value;
  return Buffer.concat(numbers.map((number) => (vr === 'UL' ? uint32(number) : uint16(number & 0xffff))));
}

function encapsulated(frames: readonly Buffer[]): Buffer {
  const items = [Buffer.alloc(0), ...frames].map((frame) =>
    Buffer.concat([tagBytes(0xfffee000), uint32(frame.length), frame]),
  );
  return Buffer.concat([
    Buffer.concat([tagBytes(0x7fe00010), Buffer.from('OB'), Buffer.alloc(2), uint32(0xffffffff)]),
    ...items,
    Buffer.concat([tagBytes(0xfffee0dd), uint32(0)]),
  ]);
}

function tagBytes(tag: number): Buffer {
  return Buffer.concat([uint16(tag >>> 16), uint16(tag & 0xffff)]);
}

function uint16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16LE(value);
  return bytes;
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}
