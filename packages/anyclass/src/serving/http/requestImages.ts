// Reads the images or rows of a request in any supported format.

import { Problem } from '../../web/problem.js';
import { formImages } from '../bodies/formImages.js';
import type { ImageRequest } from '../bodies/jsonImages.js';
import type { JsonRequests } from '../bodies/jsonRequests.js';
import type { ServerState } from '../operation/serverState.js';
import type { RequestBody } from '../requests/uploads.js';

/**
 * Content types of raw images: none, arbitrary bytes, DICOM, and the type that curl sends by default with
 * --data-binary.
 */
const rawTypes = ['', 'application/octet-stream', 'application/dicom', 'application/x-www-form-urlencoded'];

/**
 * Reads a raw image, a form with files, or JSON with images in base64 or rows of features.
 *
 * @throws Problem if it is none of these
 */
export async function requestImages(
  json: JsonRequests,
  { limits }: Pick<ServerState, 'limits'>,
  contentType: string,
  body: RequestBody,
): Promise<ImageRequest> {
  const type = contentType.split(';')[0]!.trim().toLowerCase();
  if (type === 'application/json' || type.endsWith('+json')) return json.predict(await body.whole());
  if (type === 'multipart/form-data') return formImages(contentType, body, limits.images);
  if (rawTypes.includes(type) || type.startsWith('image/'))
    return { model: undefined, images: [{ name: '1', bytes: await body.whole() }] };
  throw new Problem(
    'wrong-type',
    `content type ${type} is not supported; send an image, multipart/form-data, or application/json`,
  );
}
