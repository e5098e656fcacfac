import { UserError } from '../errors/userError.js';
import type { Dataset, Preparation } from './dataset/dataset.js';
import { changedPreparation, type PreparationChanges, readingOf } from './dataset/preparation.js';
import { type OpenOptions, openDataset } from './openDataset.js';

export interface PreparedOptions extends OpenOptions {
  /** How images are preprocessed; the dataset's own way where left out. */
  readonly preparation?: PreparationChanges;
  /** Take the place of the dataset's own, such as those of the weights that training starts from. */
  readonly statistics?: Partial<Pick<Preparation, 'mean' | 'std'>>;
}

/**
 * Opens a dataset whose images are preprocessed as its user wants.
 *
 * @throws UserError if a wish would have no effect, because the data holds features
 *
 * @example
 * const { preparation } = await openPrepared('digits', { preparation: { channels: 3 } });
 * preparation.channels // 3
 */
export async function openPrepared(spec: string, options: PreparedOptions): Promise<Dataset> {
  const { preparation = {}, statistics = {}, ...open } = options;
  const dataset = await openDataset(spec, { ...open, reading: readingOf(preparation) });
  try {
    if (dataset.features) {
      refuseImageFields({ ...preparation, imageFolder: open.imageFolder }, dataset.name);
      return dataset;
    }
    const own = { ...dataset.preparation, ...statistics };
    return { ...dataset, preparation: changedPreparation(own, preparation) };
  } catch (error) {
    await dataset.images.close();
    throw error;
  }
}

/** Throws if a field would have no effect, because the user meant it to have one. */
function refuseImageFields(fields: Readonly<Record<string, unknown>>, name: string): void {
  const [field] = Object.entries(fields).find(([, value]) => value !== undefined) ?? [];
  if (field === undefined) return;
  throw new UserError(`data.${field} is set, but ${name} holds features, not images; unset it`, {
    setting: `data.${field}=null`,
  });
}
