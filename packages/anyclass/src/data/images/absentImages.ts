import { DataError } from '../../errors/dataError.js';
import type { ImageSource } from './imageSource.js';

/**
 * The source of a dataset that has no images, which says so when it is asked for one. Closing it closes what the dataset has
 * in their place.
 *
 * @example
 * absentImages('scene.arff holds features, no images').absent // 'scene.arff holds features, no images'
 */
export function absentImages(reason: string, close = async () => {}): ImageSource {
  const refuse = () => Promise.reject(new DataError(reason));
  return { absent: reason, read: refuse, fingerprint: refuse, close };
}
