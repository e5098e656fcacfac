import { DataError } from '../../errors/dataError.js';
import type { ImageSource } from './imageSource.js';

/**
 * The image source of a dataset without images: reading one fails with the reason. Closing it closes what
 * the dataset has instead.
 *
 * @example
 * absentImages('scene.arff has features, not images').absent // 'scene.arff has features, not images'
 */
export function absentImages(reason: string, close = async () => {}): ImageSource {
  const refuse = () => Promise.reject(new DataError(reason));
  return { absent: reason, read: refuse, fingerprint: refuse, close };
}
