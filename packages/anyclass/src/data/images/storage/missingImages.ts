import { DataError } from '../../../errors/dataError.js';
import { listed } from '../../../errors/listed.js';
import { reasonOf } from '../../../errors/reasonOf.js';
import type { Quarantined } from '../../../events/runSummary.js';
import type { Dataset } from '../../dataset/dataset.js';

const looksAt = 32;

/**
 * Refuses a dataset if none of a few sampled images can be found: a wrong folder should be noticed before
 * training, not after. If only some are missing, they are left out one by one.
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
    `${dataset.name}: none of the images can be found; the first: ${first}. Set data.imageFolder to the folder with the images`,
    { setting: 'data.imageFolder=FOLDER' },
  );
}

const checksAtMost = 2000;

/**
 * Refuses rows to be evaluated if images are missing, checking about 2,000 of them: this should be noticed
 * before training, not after the first epoch, when every image is read.
 *
 * @example
 * await checkJudgedImages(dataset, dataset.splits.validation);
 */
export async function checkJudgedImages(dataset: Dataset, rows: Int32Array): Promise<void> {
  const step = Math.max(1, Math.floor(rows.length / checksAtMost));
  const missing: { readonly name: string; readonly missing: boolean }[] = [];
  for (let i = 0; i < rows.length; i += step) {
    await dataset.images.fingerprint(rows[i]!).catch(() => {
      missing.push({ name: dataset.names.at(rows[i]!), missing: true });
    });
  }
  refusePartial(missing, rows.length);
}

/**
 * Throws if images to evaluate are missing. Damaged ones are allowed: they are the same every
 * time, and reports list them.
 *
 * @param rows the number of images there should be
 */
export function refusePartial(
  quarantined: readonly Pick<Quarantined, 'name' | 'missing'>[],
  rows: number,
): void {
  const missing = quarantined.filter((image) => image.missing).map(({ name }) => name);
  if (missing.length === 0) return;
  throw new DataError(
    `${missing.length} of ${rows} images to evaluate are missing (${listed(missing, 3)}), so the metrics would cover only a part; restore them, or set data.allowPartial to true to evaluate the others`,
    { setting: 'data.allowPartial=true' },
  );
}
