// The images embedded in an inspection page.

import type { Dataset } from '../data/dataset/dataset.js';
import type { FoundImage, Inspection, LabelSuspect } from './inspection.js';
import { type SampleRow, sampleImages, thumbnail } from './samples.js';

export interface Picture<Image extends FoundImage = FoundImage> {
  readonly image: Image;
  /** Undefined if the image cannot be read. */
  readonly dataUrl: string | undefined;
}

export interface PagePictures {
  readonly samples: readonly SampleRow[];
  /** The first few images of each set. */
  readonly nearDuplicates: readonly (readonly Picture[])[];
  readonly suspects: readonly Picture<LabelSuspect>[];
}

export const noPictures: PagePictures = { samples: [], nearDuplicates: [], suspects: [] };

const mostSets = 20;
const mostOfSet = 4;
const mostSuspects = 30;
const side = 112;

/**
 * Samples of each class, near-duplicates side by side, and images with doubtful labels.
 *
 * @example
 * inspectPage(inspection, await pagePictures(dataset, inspection))
 */
export async function pagePictures(dataset: Dataset, inspection: Inspection): Promise<PagePictures> {
  if (dataset.images.absent !== undefined) return noPictures;
  const pictured = async <Image extends FoundImage>(image: Image): Promise<Picture<Image>> => ({
    image,
    dataUrl: await thumbnail(() => dataset.images.read(image.row), side, dataset.preparation),
  });
  const { nearDuplicates, suspects } = inspection;
  return {
    samples: await sampleImages(dataset, {}),
    nearDuplicates: await Promise.all(
      nearDuplicates.slice(0, mostSets).map((set) => Promise.all(set.slice(0, mostOfSet).map(pictured))),
    ),
    suspects: await Promise.all(suspects.slice(0, mostSuspects).map(pictured)),
  };
}
