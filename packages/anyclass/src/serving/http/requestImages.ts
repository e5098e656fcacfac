// Reads the images or rows of a request in any supported format.

import type { z } from 'zod';
import { expectation } from '../../errors/expectation.js';
import { parsedJson } from '../../files/wholeFile.js';
import { type PredictRequest, predictRequest } from '../api/schemas.js';
import type { FeatureRow } from '../models/modelVersion.js';
import { Problem } from '../requests/problem.js';

export interface RequestImage {
  /** The client's name for the image; by default its position, counted from 1. */
  readonly name: string;
  /** The image file, or the row as JSON. */
  readonly bytes: Uint8Array;
  /** A row of features instead of an image. */
  readonly row?: FeatureRow;
}

export interface ImageRequest {
  /** The model named in the body; the query may name one instead. */
  readonly model: string | undefined;
  readonly images: readonly RequestImage[];
}

/**
 * Content types of raw images: none, arbitrary bytes, and the type that curl sends by default with
 * --data-binary.
 */
const rawTypes = ['', 'application/octet-stream', 'application/x-www-form-urlencoded'];

/**
 * Reads a raw image, a form with files, or JSON with images in base64 or rows of features.
 *
 * @throws Problem if it is none of these
 */
export async function requestImages(contentType: string, body: Uint8Array): Promise<ImageRequest> {
  const type = contentType.split(';')[0]!.trim().toLowerCase();
  if (type === 'application/json' || type.endsWith('+json')) return jsonImages(body);
  if (type === 'multipart/form-data') return formImages(contentType, body);
  if (rawTypes.includes(type) || type.startsWith('image/'))
    return { model: undefined, images: [{ name: '1', bytes: body }] };
  throw new Problem(
    'wrong-type',
    `content type ${type} is not supported; send an image, multipart/form-data, or application/json`,
  );
}

/** Returns the validated content of a JSON body. @throws Problem that names the field */
export function jsonBody<Content>(body: Uint8Array, schema: z.ZodType<Content>): Content {
  const value = parsedJson(Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('utf8'));
  if (value === undefined) throw new Problem('bad-request', 'the body is not valid JSON');
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

function jsonImages(body: Uint8Array): ImageRequest {
  const { model, image, images, row, rows }: PredictRequest = jsonBody(body, predictRequest);
  const vectors = [...(row === undefined ? [] : [row]), ...(rows ?? [])];
  const given = [...(image === undefined ? [] : [image]), ...(images ?? [])];
  if (vectors.length > 0 && given.length === 0) return { model, images: vectors.map(requestRow) };
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
      bytes: base64Bytes(
        typeof entry === 'string' ? entry : entry.data,
        images === undefined ? 'image' : `images.${i - (image === undefined ? 0 : 1)}`,
      ),
    })),
  };
}

function requestRow(row: NonNullable<PredictRequest['row']>, i: number): RequestImage {
  const number = (value: number | null) => value ?? Number.NaN;
  const values = Array.isArray(row)
    ? row.map(number)
    : Object.fromEntries(Object.entries(row).map(([name, value]) => [name, number(value)]));
  return { name: String(i + 1), bytes: Buffer.from(JSON.stringify(row)), row: { kind: 'row', values } };
}

async function formImages(contentType: string, body: Uint8Array): Promise<ImageRequest> {
  const form = await readForm(contentType, body);
  const images: RequestImage[] = [];
  let model: string | undefined;
  for (const [field, value] of form) {
    if (typeof value !== 'string')
      images.push({
        name: value.name || String(images.length + 1),
        bytes: new Uint8Array(await value.arrayBuffer()),
      });
    else if (field === 'model') model = value;
    else
      throw new Problem(
        'bad-request',
        `${field}: unexpected text field; the form takes files and the text field model`,
      );
  }
  if (images.length === 0) throw new Problem('bad-request', 'the form contains no files');
  return { model, images };
}

async function readForm(contentType: string, body: Uint8Array): Promise<FormData> {
  try {
    return await new Response(new Uint8Array(body), { headers: { 'content-type': contentType } }).formData();
  } catch {
    throw new Problem('bad-request', 'the form could not be parsed; check its boundary');
  }
}
