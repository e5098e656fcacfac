// The images of a form, taken from its parts as they arrive.

import { MaxPartsExceededError, MultipartParser, type MultipartPart } from '@remix-run/multipart-parser';
import { Problem } from '../../web/problem.js';
import type { RequestBody } from '../requests/uploads.js';
import type { ImageRequest, RequestImage } from './jsonImages.js';

/** Text fields that a form may have; only `model` and `group` mean something. */
const mostTexts = 8;

/** Bytes of a text field. */
const longestText = 1000;

/**
 * Reads a form with files and the text fields model and group.
 *
 * @throws Problem if the form is anything else, or has too many files
 */
export async function formImages(
  contentType: string,
  body: RequestBody,
  mostImages: number,
): Promise<ImageRequest> {
  const images: RequestImage[] = [];
  const texts: { model?: string; group?: string } = {};
  const take = (part: MultipartPart) => {
    const { name = '', filename, isFile } = described(part);
    if (isFile) images.push({ name: filename || String(images.length + 1), bytes: part.bytes });
    else if ((name === 'model' || name === 'group') && part.size <= longestText)
      texts[name] = Buffer.from(part.bytes).toString('utf8');
    else throw unexpected(name);
    if (images.length > mostImages)
      throw new Problem('too-large', `the form has more files than the limit of ${mostImages} images`);
  };
  const parser = new MultipartParser(boundaryIn(contentType), {
    // The body has a limit of its own.
    maxFileSize: Number.POSITIVE_INFINITY,
    maxTotalSize: Number.POSITIVE_INFINITY,
    maxParts: mostImages + mostTexts,
  });
  let isFinished = false;
  await body.parts((bytes) => {
    if (isFinished) return; // what follows the end of a form has no meaning
    for (const part of written(parser, bytes, mostImages)) take(part);
    isFinished = hasFinished(parser);
  });
  if (!isFinished) throw unparsed();
  if (images.length === 0) throw new Problem('bad-request', 'the form contains no files');
  const { model, group } = texts;
  return { model, images: group ? images.map((image) => ({ ...image, group })) : images };
}

/** The boundary, which may be quoted. @throws Problem if there is none */
function boundaryIn(contentType: string): string {
  const [, quoted, plain] = /;\s*boundary=(?:"([^"]+)"|([^\s;"]+))/i.exec(contentType) ?? [];
  const boundary = quoted ?? plain;
  // RFC 2046 allows 70 characters.
  if (boundary === undefined || boundary.length > 70) throw unparsed();
  return boundary;
}

function* written(
  parser: MultipartParser,
  bytes: Uint8Array,
  mostImages: number,
): Generator<MultipartPart, void> {
  try {
    yield* parser.write(bytes);
  } catch (error) {
    if (error instanceof Problem) throw error;
    if (error instanceof MaxPartsExceededError)
      throw new Problem('too-large', `the form has more parts than the limit of ${mostImages} images`);
    throw unparsed();
  }
}

/** What the headers of a part say. @throws Problem if they are not UTF-8 */
function described(part: MultipartPart): Pick<MultipartPart, 'name' | 'filename' | 'isFile'> {
  try {
    const { name, filename, isFile } = part;
    return { name, filename, isFile };
  } catch {
    throw unparsed();
  }
}

function hasFinished(parser: MultipartParser): boolean {
  try {
    parser.finish();
    return true;
  } catch {
    return false;
  }
}

function unexpected(field: string): Problem {
  return new Problem(
    'bad-request',
    `${field}: unexpected text field; the form takes files and the short text fields model and group`,
  );
}

function unparsed(): Problem {
  return new Problem('bad-request', 'the form could not be parsed; check its boundary');
}
