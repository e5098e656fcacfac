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
/** Characters of embedded samples: with everything else on it, a page stays below 1.5 MB. */
const mostCharacters = 450_000;

/**
 * Sample images of every class and of the negatives, from the training split (from validation if it is
 * empty). The choice depends only on the seed. Images that cannot be read are skipped. Classes take turns, so that with many of them
 * each has fewer images; with very many, the last have none and are left out.
 *
 * @example
 * const [first] = await sampleImages(dataset, { perClass: 6 });
 * first?.images.length // 6
 */
export async function sampleImages(
  dataset: Dataset,
  {
    perClass = 6,
    seed = 0,
    most = mostCharacters,
  }: { readonly perClass?: number; readonly seed?: number; readonly most?: number },
): Promise<SampleRow[]> {
  const { classes, labels, splits } = dataset;
  const source = splits.train.length > 0 ? splits.train : splits.validation;
  const rows = shuffled(source, randomStream('sample', seed, 0, 0));
  const shown = new Set<number>();
  const turn = (title: string, wanted: (row: number) => boolean) => ({
    title,
    images: [] as Sample[],
    rows: fresh(rows, wanted, shown),
  });
  const turns = classes.map((name, j) => turn(name, (row) => labels.isPresent(row, j)));
  const negatives = turn('negative', (row) => labels.presence(row) === 'negative');
  let characters = 0;
  for (let round = 0; round < 2 * perClass && characters < most; round++)
    for (const { images, rows: own } of [negatives, ...(round < perClass ? turns : [])]) {
      if (characters >= most) break;
      for (const row of own) {
        const dataUrl = await thumbnail(() => dataset.images.read(row), side, dataset.preparation);
        if (dataUrl === undefined) continue;
        shown.add(row);
        characters += dataUrl.length;
        images.push({
          name: dataset.names.at(row),
          labels: classes.filter((_, j) => labels.isPresent(row, j)),
          dataUrl,
        });
        break;
      }
    }
  const isCut = characters >= most;
  return [...turns, negatives]
    .filter(({ images }) => images.length > 0 || !isCut)
    .map(({ title, images }) => ({ title, images }));
}

/** The wanted rows: first those that no other class has shown, then the rest. An iterator that `for` can leave and continue. */
function fresh(
  rows: Int32Array,
  wanted: (row: number) => boolean,
  shown: ReadonlySet<number>,
): Iterable<number> {
  function* all(): Generator<number, void> {
    const seen: number[] = [];
    for (const row of rows) {
      if (!wanted(row)) continue;
      if (shown.has(row)) seen.push(row);
      else yield row;
    }
    yield* seen;
  }
  const iterator = all();
  return { [Symbol.iterator]: () => ({ next: () => iterator.next() }) };
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
