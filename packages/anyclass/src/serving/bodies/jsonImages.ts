// The images or rows of a JSON body.

import type { z } from 'zod';
import { expectation } from '../../errors/expectation.js';
import { parsedJson } from '../../files/wholeFile.js';
import { Problem } from '../../web/problem.js';
import { type PredictRequest, predictRequest } from '../api/schemas.js';
import type { FeatureRow } from '../models/modelVersion.js';

export interface RequestImage {
  /** The client's name for the image; by default its position, counted from 1. */
  readonly name: string;
  /** The image file, or the row as JSON. */
  readonly bytes: Uint8Array;
  /** A row of features instead of an image. */
  readonly row?: FeatureRow;
  /** The patient, pipe or other group it belongs to. */
  readonly group?: string | undefined;
}

export interface ImageRequest {
  /** The model named in the body; the query may name one instead. */
  readonly model: string | undefined;
  readonly images: readonly RequestImage[];
}

/** The most features of a row. */
const mostFeatures = 100_000;

/** Returns the value of a JSON body. @throws Problem if it is not JSON */
export function jsonValue(body: Uint8Array): unknown {
  checkDepth(body);
  const value = parsedJson(Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('utf8'));
  if (value === undefined) throw new Problem('bad-request', 'the body is not valid JSON');
  return value;
}

/** The most lists and objects within one another. */
const deepest = 32;

/** Refuses deeply nested JSON, for which the parser takes fifty times the memory of the text. @throws Problem */
function checkDepth(body: Uint8Array): void {
  let depth = 0;
  for (let at = 0; at < body.length; at++) {
    const byte = body[at];
    if (byte === 0x22) at = endOfText(body, at);
    else if (byte === 0x5b || byte === 0x7b) depth += 1;
    else if (byte === 0x5d || byte === 0x7d) depth -= 1;
    if (depth > deepest) throw new Problem('bad-request', `the JSON is nested more than ${deepest} deep`);
  }
}

/** The position of the quote that ends the text which starts at `start`. */
function endOfText(body: Uint8Array, start: number): number {
  for (let at = body.indexOf(0x22, start + 1); at !== -1; at = body.indexOf(0x22, at + 1)) {
    let slashes = 0;
    while (body[at - 1 - slashes] === 0x5c) slashes += 1;
    if (slashes % 2 === 0) return at;
  }
  return body.length;
}

/** Returns the content of a value that fits the schema. @throws Problem that names the field */
export function checkedContent<Content>(value: unknown, schema: z.ZodType<Content>): Content {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const issue = result.error.issues[0]!;
  const field = issue.path.map(String).join('.');
  throw new Problem('bad-request', [field, expectation(issue)].filter(Boolean).join(': '));
}

/**
 * Decodes base64 text, with or without `data:…;base64,` before it.
 *
 * @throws Problem that names the field if the text is not base64
 */
export function base64Bytes(text: string, field: string): Uint8Array {
  const start = text.startsWith('data:') ? text.indexOf(',') + 1 : 0;
  const content = start === 0 ? text : text.slice(start);
  const bytes = Buffer.from(content, 'base64');
  const padding = content.endsWith('==') ? 2 : content.endsWith('=') ? 1 : 0;
  // Node skips invalid characters, so a shorter result means that the text was not base64.
  if (bytes.length !== Math.floor(((content.length - padding) * 3) / 4))
    throw new Problem('bad-request', `${field}: not valid base64`);
  return bytes;
}

/** Returns the images of a body, in base64, or its rows of features. @throws Problem that names the field */
export function jsonImages(body: Uint8Array, mostImages: number): ImageRequest {
  const value = jsonValue(body);
  // Before the schema looks at millions of entries.
  for (const list of ['images', 'rows'] as const) checkImages(lengthOf(value, list), mostImages);
  const { model, group, image, images, row, rows }: PredictRequest = checkedContent(value, predictRequest);
  const vectors = [...(row === undefined ? [] : [row]), ...(rows ?? [])];
  const given = [...(image === undefined ? [] : [image]), ...(images ?? [])];
  if (vectors.length > 0 && given.length === 0)
    return { model, images: vectors.map((vector, i) => ({ ...requestRow(vector, i), group })) };
  if (vectors.length > 0) throw new Problem('bad-request', 'rows: expected images or rows, not both');
  if (given.length === 0)
    throw new Problem(
      'bad-request',
      'images: expected at least 1 entry, or a single image in the field image',
    );
  return {
    model,
    images: given.map((entry, i) => ({
      name: (typeof entry === 'string' ? undefined : entry.name) ?? String(i + 1),
      group: (typeof entry === 'string' ? undefined : entry.group) ?? group,
      bytes: base64Bytes(
        typeof entry === 'string' ? entry : entry.data,
        images === undefined ? 'image' : `images.${i - (image === undefined ? 0 : 1)}`,
      ),
    })),
  };
}

function lengthOf(value: unknown, field: 'images' | 'rows'): number {
  const list: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, field) : undefined;
  return Array.isArray(list) ? list.length : 0;
}

/** Refuses a request for too many images. @throws Problem */
export function checkImages(images: number, mostImages: number): void {
  if (images <= mostImages) return;
  throw new Problem('too-large', `the request has ${images} images or rows; the limit is ${mostImages}`);
}

function requestRow(row: NonNullable<PredictRequest['row']>, i: number): RequestImage {
  const features = Object.keys(row).length;
  if (features > mostFeatures)
    throw new Problem('too-large', `row ${i + 1} has ${features} features; the limit is ${mostFeatures}`);
  const number = (value: number | null) => value ?? Number.NaN;
  const values = Array.isArray(row)
    ? row.map(number)
    : Object.fromEntries(Object.entries(row).map(([name, value]) => [name, number(value)]));
  return { name: String(i + 1), bytes: Buffer.from(JSON.stringify(row)), row: { kind: 'row', values } };
}
