import { DataError } from '../../errors/dataError.js';
import type { ImageSource } from './imageSource.js';

/**
 * The source of a dataset that has no images, which says so when it is asked for one.
 *
 * @example
 * absentImages('scene.arff holds features, no images').absent // 'scene.arff holds features, no images'
 */
export function absentImages(reason: string): ImageSource {
  const refuse = () => Promise.reject(new DataError(reason));
  return { absent: reason, read: refuse, fingerprint: refuse, close: async () => {} };
}
