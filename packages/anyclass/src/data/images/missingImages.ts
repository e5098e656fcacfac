import { DataError } from '../../errors/dataError.js';
import { listed } from '../../errors/listed.js';
import { reasonOf } from '../../errors/reasonOf.js';
import type { Quarantined } from '../../events/runSummary.js';
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

const checksAtMost = 2000;

/**
 * Refuses rows to be judged of which images are missing, judged by up to 2,000 of them: better heard of before training than
 * after its first epoch, when every image is asked for.
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
 * Throws where images to evaluate are missing. Damaged ones are told apart: they are the same at every reading, and reports
 * list them.
 *
 * @param rows how many there should be
 */
export function refusePartial(
  quarantined: readonly Pick<Quarantined, 'name' | 'missing'>[],
  rows: number,
): void {
  const missing = quarantined.filter((image) => image.missing).map(({ name }) => name);
  if (missing.length === 0) return;
  throw new DataError(
    `${missing.length} of ${rows} images to evaluate are missing (${listed(missing, 3)}), and metrics of a part would pass for those of all; restore them, or set data.allowPartial to true to judge the others`,
    { setting: 'data.allowPartial=true' },
  );
}
