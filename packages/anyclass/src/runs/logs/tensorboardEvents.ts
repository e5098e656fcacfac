// TensorBoard's event files: records with checksums around protocol-buffer messages. Only what a log of training needs is
// encoded: scalars, images, a text, precision-recall curves and hyper-parameters. Formats: tensorflow/core/lib/io/record_writer.h, tensorflow/core/util/event.proto.

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

/** An image: PNG or JPEG. */
export interface LoggedImage {
  readonly width: number;
  readonly height: number;
  readonly encoded: Buffer;
}

/**
 * Images at a step, by their tags.
 *
 * @example
 * imageEvent(Date.now() / 1000, 300, { 'missed/1: crack': { width: 64, height: 64, encoded } })
 */
export function imageEvent(
  seconds: number,
  step: number,
  images: Readonly<Record<string, LoggedImage>>,
): Buffer {
  const rgb = 3;
  const entries = Object.entries(images).map(([tag, { width, height, encoded }]) => {
    const image = Buffer.concat([whole(1, height), whole(2, width), whole(3, rgb), bytes(4, encoded)]);
    return bytes(1, Buffer.concat([bytes(1, Buffer.from(tag)), bytes(4, image)]));
  });
  return record(Buffer.concat([double(1, seconds), whole(2, step), bytes(5, Buffer.concat(entries))]));
}

/** A text, which TensorBoard shows as Markdown. */
export function textEvent(seconds: number, tag: string, text: string): Buffer {
  const tensor = Buffer.concat([whole(1, types.string), shaped([1]), bytes(8, Buffer.from(text))]);
  return summary(seconds, 0, { tag, tensor, plugin: 'text' });
}

/** Counts at thresholds that rise evenly from 0 to 1, of rows whose score reaches them. */
export interface ThresholdCounts {
  readonly truePositives: readonly number[];
  readonly falsePositives: readonly number[];
  readonly trueNegatives: readonly number[];
  readonly falseNegatives: readonly number[];
}

/**
 * A precision-recall curve.
 *
 * @example
 * curveEvent(Date.now() / 1000, 300, 'test/crack', counts)
 */
export function curveEvent(seconds: number, step: number, tag: string, counts: ThresholdCounts): Buffer {
  const { truePositives, falsePositives, trueNegatives, falseNegatives } = counts;
  const ratio = (a: number, b: number, ifNone: number) => (a + b === 0 ? ifNone : a / (a + b));
  const rows = [
    truePositives,
    falsePositives,
    trueNegatives,
    falseNegatives,
    truePositives.map((found, i) => ratio(found, falsePositives[i]!, 1)),
    truePositives.map((found, i) => ratio(found, falseNegatives[i]!, 0)),
  ];
  const thresholds = truePositives.length;
  const content = Buffer.from(Float32Array.from(rows.flat()).buffer);
  const tensor = Buffer.concat([whole(1, types.float), shaped([rows.length, thresholds]), bytes(4, content)]);
  // Version 0, and the number of thresholds.
  return summary(seconds, step, { tag, tensor, plugin: 'pr_curves', content: whole(2, thresholds) });
}

/**
 * The settings of a run, for TensorBoard's table of hyper-parameters.
 *
 * @example
 * settingsEvent(Date.now() / 1000, { epochs: 20, 'loss.name': 'any-bce' })
 */
export function settingsEvent(
  seconds: number,
  settings: Readonly<Record<string, string | number | boolean>>,
): Buffer {
  const entries = Object.entries(settings).map(([name, value]) => {
    const encoded =
      typeof value === 'number'
        ? double(2, value)
        : typeof value === 'boolean'
          ? whole(4, Number(value))
          : bytes(3, Buffer.from(value));
    return bytes(1, Buffer.concat([bytes(1, Buffer.from(name)), bytes(2, encoded)]));
  });
  const started = Buffer.concat([...entries, double(5, seconds)]);
  return session(seconds, '_hparams_/session_start_info', bytes(3, started));
}

/** The end of a run with settings. */
export function settingsEndEvent(seconds: number, isSuccess: boolean): Buffer {
  const ended = Buffer.concat([whole(1, isSuccess ? 1 : 2), double(2, seconds)]);
  return session(seconds, '_hparams_/session_end_info', bytes(4, ended));
}

function session(seconds: number, tag: string, content: Buffer): Buffer {
  const tensor = Buffer.concat([whole(1, types.float), shaped([0])]);
  return summary(seconds, 0, { tag, tensor, plugin: 'hparams', content });
}

/** Numbers of tensorflow/core/framework/types.proto. */
const types = { float: 1, string: 7 };

function shaped(sizes: readonly number[]): Buffer {
  return bytes(2, Buffer.concat(sizes.map((size) => bytes(2, whole(1, size)))));
}

interface PluginValue {
  readonly tag: string;
  readonly tensor: Buffer;
  readonly plugin: string;
  readonly content?: Buffer;
}

function summary(seconds: number, step: number, { tag, tensor, plugin, content }: PluginValue): Buffer {
  const data = [bytes(1, Buffer.from(plugin)), ...(content ? [bytes(2, content)] : [])];
  const metadata = bytes(1, Buffer.concat(data));
  const value = Buffer.concat([bytes(1, Buffer.from(tag)), bytes(8, tensor), bytes(9, metadata)]);
  return record(Buffer.concat([double(1, seconds), whole(2, step), bytes(5, bytes(1, value))]));
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
