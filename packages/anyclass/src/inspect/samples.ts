import type { Dataset } from '../data/dataset/dataset.js';
import type { StoredImage } from '../data/dataset/imageSource.js';
import type { ImageReading } from '../data/dataset/reading/pixelFormat.js';
import { openImage } from '../data/images/decoding/decode.js';
import { randomStream, shuffled } from '../data/random/philox.js';

/** A few images of a class, or of the negatives, small enough to embed in a page. */
export interface SampleRow {
  readonly title: string;
  readonly images: readonly Sample[];
}

export interface Sample {
  readonly name: string;
  /** All labels of the image. */
  readonly labels: readonly string[];
  readonly dataUrl: string;
}

const side = 112;

/**
 * Sample images of every class and of the negatives, from the training split (from validation if it is
 * empty). The choice depends only on the seed. Images that cannot be read are skipped.
 *
 * @example
 * const [first] = await sampleImages(dataset, { perClass: 6 });
 * first?.images.length // 6
 */
export async function sampleImages(
  dataset: Dataset,
  { perClass = 6, seed = 0 }: { readonly perClass?: number; readonly seed?: number },
): Promise<SampleRow[]> {
  const { classes, labels, splits } = dataset;
  const source = splits.train.length > 0 ? splits.train : splits.validation;
  const rows = shuffled(source, randomStream('sample', seed, 0, 0));
  const matching = async (
    title: string,
    count: number,
    wanted: (row: number) => boolean,
  ): Promise<SampleRow> => {
    const images: Sample[] = [];
    for (const row of rows) {
      if (images.length === count) break;
      if (!wanted(row)) continue;
      const dataUrl = await thumbnail(() => dataset.images.read(row), side, dataset.preparation);
      if (dataUrl === undefined) continue;
      const present = classes.filter((_, j) => labels.isPresent(row, j));
      images.push({ name: dataset.names.at(row), labels: present, dataUrl });
    }
    return { title, images };
  };
  const found: SampleRow[] = [];
  for (const [j, name] of classes.entries())
    found.push(await matching(name, perClass, (row) => labels.isPresent(row, j)));
  found.push(await matching('negative', perClass * 2, (row) => labels.presence(row) === 'negative'));
  return found;
}

/**
 * An image fitted into a square, as a data URL; undefined if it cannot be read, so
 * that the page is still made.
 */
export async function thumbnail(
  read: () => Promise<StoredImage>,
  side: number,
  reading: ImageReading,
): Promise<string | undefined> {
  try {
    const opened = await openImage(await read(), reading);
    const resized = opened
      .autoOrient()
      .resize(side, side, { fit: 'contain', background: '#0000', kernel: 'linear' });
    return `data:image/webp;base64,${(await resized.webp({ quality: 70 }).toBuffer()).toString('base64')}`;
  } catch {
    return undefined;
  }
}
