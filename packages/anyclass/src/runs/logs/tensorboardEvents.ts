// TensorBoard's event files: records with checksums around protocol-buffer messages. Only what a log of training needs is
// encoded: scalars and a text. Formats: tensorflow/core/lib/io/record_writer.h, tensorflow/core/util/event.proto.

/** The first record of a file. */
export function versionEvent(seconds: number): Buffer {
  return record(Buffer.concat([double(1, seconds), bytes(3, Buffer.from('brain.Event:2'))]));
}

/**
 * Numbers at a step, by their tags.
 *
 * @example
 * scalarEvent(Date.now() / 1000, 120, { 'training/loss': 0.41 })
 */
export function scalarEvent(seconds: number, step: number, values: Readonly<Record<string, number>>): Buffer {
  const entries = Object.entries(values).map(([tag, value]) =>
    bytes(1, Buffer.concat([bytes(1, Buffer.from(tag)), float(2, value)])),
  );
  return record(Buffer.concat([double(1, seconds), whole(2, step), bytes(5, Buffer.concat(entries))]));
}

/** A text, which TensorBoard shows as Markdown. */
export function textEvent(seconds: number, tag: string, text: string): Buffer {
  const stringType = 7;
  const shape = bytes(2, bytes(2, whole(1, 1)));
  const tensor = Buffer.concat([whole(1, stringType), shape, bytes(8, Buffer.from(text))]);
  const metadata = bytes(1, bytes(1, Buffer.from('text')));
  const value = Buffer.concat([bytes(1, Buffer.from(tag)), bytes(8, tensor), bytes(9, metadata)]);
  return record(Buffer.concat([double(1, seconds), whole(2, 0), bytes(5, bytes(1, value))]));
}

/** Frames a message: its length and content, each with a masked checksum. */
function record(message: Buffer): Buffer {
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(message.length));
  return Buffer.concat([length, masked(length), message, masked(message)]);
}

function masked(data: Buffer): Buffer {
  const sum = crc32c(data);
  const out = Buffer.alloc(4);
  out.writeUInt32LE((((sum >>> 15) | (sum << 17)) + 0xa282ead8) >>> 0);
  return out;
}

/**
 * The Castagnoli checksum; Node's `crc32` has another polynomial.
 *
 * @example
 * crc32c(Buffer.from('123456789')).toString(16) // 'e3069283'
 */
export function crc32c(data: Uint8Array): number {
  let sum = 0xffffffff;
  for (const byte of data) sum = (sum >>> 8) ^ table[(sum ^ byte) & 0xff]!;
  return (sum ^ 0xffffffff) >>> 0;
}

const table = Uint32Array.from({ length: 256 }, (_, index) => {
  let value = index;
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0x82f63b78 : value >>> 1;
  return value;
});

function varint(value: number): Buffer {
  const out: number[] = [];
  let rest = value;
  while (rest >= 128) {
    out.push((rest % 128) + 128);
    rest = Math.floor(rest / 128);
  }
  return Buffer.from([...out, rest]);
}

function whole(field: number, value: number): Buffer {
  return Buffer.concat([varint(8 * field), varint(value)]);
}

function double(field: number, value: number): Buffer {
  const out = Buffer.alloc(8);
  out.writeDoubleLE(value);
  return Buffer.concat([varint(8 * field + 1), out]);
}

function bytes(field: number, value: Buffer): Buffer {
  return Buffer.concat([varint(8 * field + 2), varint(value.length), value]);
}

function float(field: number, value: number): Buffer {
  const out = Buffer.alloc(4);
  out.writeFloatLE(value);
  return Buffer.concat([varint(8 * field + 5), out]);
}
