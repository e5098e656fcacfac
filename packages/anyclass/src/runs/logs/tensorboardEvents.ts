// TensorBoard's event files: records with checksums around protocol-buffer messages. Only what a log of training needs is
// encoded: scalars, images, a text, precision-recall curves and hyper-parameters. Formats: tensorflow/core/lib/io/record_writer.h, tensorflow/core/util/event.proto.

import {
  bytes,
  double,
  encoded,
  float,
  integer,
  joined,
  message,
  type Part,
  text,
} from '../../files/protobuf.js';

/** The first record of a file. */
export function versionEvent(seconds: number): Buffer {
  return record([double(1, seconds), text(3, 'brain.Event:2')]);
}

/**
 * Where a process begins. A run that was killed may have logged this step and later ones after the checkpoint that it resumes from; a reader drops those.
 *
 * @example
 * startEvent(Date.now() / 1000, 120)
 */
export function startEvent(seconds: number, step: number): Buffer {
  const start = 1;
  return record([double(1, seconds), integer(2, step), message(7, [integer(1, start)])]);
}

/**
 * Numbers at a step, by their tags.
 *
 * @example
 * scalarEvent(Date.now() / 1000, 120, { 'training/loss': 0.41 })
 */
export function scalarEvent(seconds: number, step: number, values: Readonly<Record<string, number>>): Buffer {
  const entries = Object.entries(values).map(([tag, value]) => message(1, [text(1, tag), float(2, value)]));
  return record([double(1, seconds), integer(2, step), message(5, entries)]);
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
  const entries = Object.entries(images).map(([tag, { width, height, encoded: content }]) => {
    const image = [integer(1, height), integer(2, width), integer(3, rgb), bytes(4, content)];
    return message(1, [text(1, tag), message(4, image)]);
  });
  return record([double(1, seconds), integer(2, step), message(5, entries)]);
}

/** A text, which TensorBoard shows as Markdown. */
export function textEvent(seconds: number, tag: string, markdown: string): Buffer {
  const tensor = [integer(1, types.string), shaped([1]), text(8, markdown)];
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
  const tensor = [integer(1, types.float), shaped([rows.length, thresholds]), bytes(4, content)];
  // Version 0, and the number of thresholds.
  return summary(seconds, step, { tag, tensor, plugin: 'pr_curves', content: integer(2, thresholds) });
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
    const setting =
      typeof value === 'number'
        ? double(2, value)
        : typeof value === 'boolean'
          ? integer(4, Number(value))
          : text(3, value);
    return message(1, [text(1, name), message(2, [setting])]);
  });
  return session(seconds, '_hparams_/session_start_info', message(3, [...entries, double(5, seconds)]));
}

/** The end of a run with settings. */
export function settingsEndEvent(seconds: number, isSuccess: boolean): Buffer {
  const ended = [integer(1, isSuccess ? 1 : 2), double(2, seconds)];
  return session(seconds, '_hparams_/session_end_info', message(4, ended));
}

function session(seconds: number, tag: string, content: Part): Buffer {
  const tensor = [integer(1, types.float), shaped([0])];
  return summary(seconds, 0, { tag, tensor, plugin: 'hparams', content });
}

/** Numbers of tensorflow/core/framework/types.proto. */
const types = { float: 1, string: 7 };

function shaped(sizes: readonly number[]): Part {
  return message(
    2,
    sizes.map((size) => message(2, [integer(1, size)])),
  );
}

interface PluginValue {
  readonly tag: string;
  readonly tensor: readonly Part[];
  readonly plugin: string;
  readonly content?: Part;
}

function summary(seconds: number, step: number, { tag, tensor, plugin, content }: PluginValue): Buffer {
  const data = [text(1, plugin), ...(content ? [message(2, [content])] : [])];
  const value = [text(1, tag), message(8, tensor), message(9, [message(1, data)])];
  return record([double(1, seconds), integer(2, step), message(5, [message(1, value)])]);
}

/** Frames a message: its length and content, each with a masked checksum. */
function record(parts: readonly Part[]): Buffer {
  const content = encoded(joined(parts));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(content.length));
  return Buffer.concat([length, masked(length), content, masked(content)]);
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
