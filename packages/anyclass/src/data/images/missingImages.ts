import { DataError } from '../../errors/dataError.js';
import { reasonOf } from '../../errors/reasonOf.js';
import type { Dataset } from '../dataset.js';

const looksAt = 32;

/**
 * Refuses data of which no image is where it should be, judged by a few: a folder that was named wrongly is better heard of
 * before training than after it. Where only some are missing, they are left out one by one.
 *
 * @example
 * await checkImagesAreThere(dataset, dataset.splits.train);
 */
export async function checkImagesAreThere(dataset: Dataset, rows: Int32Array): Promise<void> {
  if (dataset.images.absent !== undefined) {
    throw new DataError(`${dataset.images.absent}; training needs images`);
  }
  const step = Math.max(1, Math.floor(rows.length / looksAt));
  let first: string | undefined;
  for (let i = 0; i < rows.length; i += step) {
    try {
      await dataset.images.fingerprint(rows[i]!);
      return;
    } catch (error) {
      first ??= `'${dataset.names.at(rows[i]!)}': ${reasonOf(error)}`;
    }
  }
  if (first === undefined) return;
  throw new DataError(
    `${dataset.name}: no image is where it should be; the first: ${first}. Set data.imageFolder to the folder that holds them`,
    { setting: 'data.imageFolder=FOLDER' },
  );
}
