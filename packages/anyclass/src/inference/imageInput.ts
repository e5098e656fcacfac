import type { UnreadImage } from '../data/images/decoding/decoder.js';
import { DataError } from '../errors/dataError.js';

/** An image to predict. */
export interface ImageInput extends UnreadImage {
  readonly name: string;
}

/** An input that cannot be read. */
export function unreadable(name: string, reason: string): ImageInput {
  return { name, read: () => Promise.reject(new DataError(reason)) };
}
