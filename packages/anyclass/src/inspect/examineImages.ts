import { createHash } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { type Dataset, splitNames } from '../data/dataset/dataset.js';
import { bytesOf, type StoredImage } from '../data/dataset/imageSource.js';
import { pixelFormat } from '../data/dataset/preparation.js';
import type { PixelFormat } from '../data/dataset/reading/pixelFormat.js';
import { createDecoder, type DecoderOptions } from '../data/images/decoding/decoder.js';
import { createLevelSurvey, type LevelProblem } from '../data/images/levelSurvey.js';
import { limiter, settleAll } from '../data/images/limiter.js';
import { createQuarantine } from '../data/images/storage/quarantine.js';
import { type DuplicateGroups, duplicateFinder } from '../data/lookAlikes/duplicates.js';
import { nearDuplicateFinder } from '../data/lookAlikes/nearDuplicates.js';
import { perceptualHash } from '../data/lookAlikes/perceptualHash.js';
import type { RunEventListener } from '../events/runEvent.js';
import type { Quarantined } from '../events/runSummary.js';
import type { ImageStatistics } from './inspection.js';

export interface ExamineOptions extends DecoderOptions {
  /** Examine this many images, evenly spread. Default: all. */
  readonly limit?: number;
  /** Size at which the channel means and standard deviations are computed. Default 224 x 224. */
  readonly size?: { readonly width: number; readonly height: number };
  /** Treat an unreadable image as an error. */
  readonly strict?: boolean;
  readonly signal?: AbortSignal;
  readonly onEvent?: RunEventListener;
}

export interface Examined {
  readonly statistics: ImageStatistics | undefined;
  readonly duplicates: DuplicateGroups;
  /** Sets of images that look alike and are not all the same bytes. */
  readonly nearDuplicates: DuplicateGroups;
  /** Rows of images that claim far more pixels than their bytes can encode. */
  readonly overclaimed: readonly number[];
  /** Rows of images that are nearly a single color. */
  readonly oneColor: readonly number[];
  readonly quarantined: readonly Quarantined[];
  readonly levelProblems: readonly LevelProblem[];
}

/**
 * Reads and decodes the images of all splits. Returns their sizes, the channel statistics of the training
 * split, exact duplicates, images that look alike, and images that cannot be read.
 *
 * @example
 * (await examineImages(dataset, { limit: 1000 })).statistics?.mean // [0.47, 0.447, 0.408]
 */
export async function examineImages(dataset: Dataset, options: ExamineOptions): Promise<Examined> {
  const { size = { width: 224, height: 224 }, signal } = options;
  const rows = spread(
    splitNames.flatMap((split) => [...dataset.splits[split]]),
    options.limit,
  );
  const training = new Uint8Array(dataset.names.length);
  for (const row of dataset.splits.train) training[row] = 1;
  const format = { ...pixelFormat(size.width, dataset.preparation), ...size };
  const sums = channelSums(format);
  const widths = new Map<number, number>();
  const heights = new Map<number, number>();
  const sizes = new Map<string, number>();
  const finder = duplicateFinder(dataset.names.length);
  const nearFinder = nearDuplicateFinder(dataset.names.length);
  const survey = createLevelSurvey(format);
  const oneColor: number[] = [];
  const overclaimed: number[] = [];
  const quarantine = createQuarantine(dataset.names, { strict: options.strict ?? false });
  const limited = limiter(2 * (options.processes || availableParallelism()));
  const decoder = createDecoder(format, options);
  let done = 0;
  const report = () =>
    options.onEvent?.({ type: 'progress', task: 'reading images', done, total: rows.length, unit: 'images' });
  report();
  const examine = async (row: number) => {
    signal?.throwIfAborted();
    try {
      const image = await dataset.images.read(row);
      const stored = await decoder.survey(image);
      if (claimsTooMuch(image, stored)) overclaimed.push(row);
      const pixels = await decoder.decode(image);
      survey.add(row, dataset.names.at(row), stored);
      finder.add(row, createHash('sha256').update(bytesOf(image)).digest());
      count(widths, stored.width);
      count(heights, stored.height);
      count(sizes, `${stored.width}x${stored.height}`);
      if (training[row] === 1) sums.add(pixels);
      const hash = perceptualHash(pixels, format);
      nearFinder.add(row, hash);
      if (hash === undefined) oneColor.push(row);
    } catch (error) {
      quarantine.add(row, error);
    }
    done += 1;
    if (done % 64 === 0 || done === rows.length) report();
  };
  try {
    // A few thousand at a time: a million pending promises would cost more memory than the index.
    for (let start = 0; start < rows.length; start += 4096) {
      await settleAll(Array.from(rows.subarray(start, start + 4096), (row) => limited(() => examine(row))));
    }
  } finally {
    await decoder.close();
  }
  const examined = rows.length - quarantine.size;
  const levels = survey.statistics();
  const duplicates = finder.groups();
  return {
    statistics:
      examined === 0
        ? undefined
        : {
            examined,
            of:
              rows.length === 0
                ? 0
                : splitNames.reduce((sum, split) => sum + dataset.splits[split].length, 0),
            width: range(widths),
            height: range(heights),
            sizes: [...sizes]
              .map(([text, number]) => ({ size: text, count: number }))
              .sort((a, b) => b.count - a.count || (a.size < b.size ? -1 : 1))
              .slice(0, 8),
            ...sums.finish(),
            ...(levels && { levels }),
          },
    duplicates,
    nearDuplicates: withoutCopies(nearFinder.sets(), duplicates),
    oneColor: oneColor.sort((a, b) => a - b),
    overclaimed: overclaimed.sort((a, b) => a - b),
    quarantined: quarantine.list(),
    levelProblems: survey.problems(),
  };
}

/** The sets that are more than copies of one file; those are reported as exact duplicates. */
function withoutCopies(sets: DuplicateGroups, copies: DuplicateGroups): DuplicateGroups {
  const firstOf = new Map(copies.flatMap((rows) => rows.map((row) => [row, rows[0]!] as const)));
  return sets.filter((rows) => new Set(rows.map((row) => firstOf.get(row) ?? row)).size > 1);
}

/** Standard deviations are summed as integer multiples of this unit. */
const deviationPart = 2 ** -30;

/**
 * Channel means, and the means of each image's own standard deviations. Sums stay integers, so the order in
 * which images arrive does not matter.
 */
function channelSums({ channels }: PixelFormat) {
  const sum = new Float64Array(channels);
  const deviations = new Float64Array(channels);
  let images = 0;
  let pixelCount = 0;
  return {
    add(pixels: Uint8Array) {
      const count = pixels.length / channels;
      for (let c = 0; c < channels; c++) {
        let channelSum = 0;
        let channelSquares = 0;
        for (let i = c; i < pixels.length; i += channels) {
          const value = pixels[i]!;
          channelSum += value;
          channelSquares += value * value;
        }
        sum[c] = sum[c]! + channelSum;
        // count² · variance, an integer below 2^53 for images of up to 600 x 600 pixels
        const spread = count * channelSquares - channelSum * channelSum;
        const deviation = Math.sqrt(Math.max(0, spread)) / count / 255;
        deviations[c] = deviations[c]! + Math.round(deviation / deviationPart);
      }
      images += 1;
      pixelCount += count;
    },
    finish() {
      const mean = Array.from(sum, (total) => total / Math.max(1, pixelCount) / 255);
      const std = Array.from(deviations, (total) => (total * deviationPart) / Math.max(1, images));
      return { mean, std };
    },
  };
}

/**
 * Even a single-color image takes about a byte per thousand pixels. A 5 KB file that claims 16,000 x 16,000
 * pixels is cut off, or crafted to waste time and memory.
 */
function claimsTooMuch(
  image: StoredImage,
  { width, height }: { readonly width: number; readonly height: number },
): boolean {
  return width * height > Math.max(2 ** 22, 4096 * bytesOf(image).length);
}

/** At most `limit` of the rows, evenly spread. */
function spread(rows: readonly number[], limit: number | undefined): Int32Array {
  if (limit === undefined || limit >= rows.length) return Int32Array.from(rows);
  return Int32Array.from({ length: limit }, (_, i) => rows[Math.floor((i * rows.length) / limit)]!);
}

function count<K>(counts: Map<K, number>, key: K): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

function range(counts: ReadonlyMap<number, number>): ImageStatistics['width'] {
  const values = [...counts].sort(([a], [b]) => a - b);
  const total = values.reduce((sum, [, number]) => sum + number, 0);
  let passed = 0;
  const median = values.find(([, number]) => {
    passed += number;
    return passed * 2 >= total;
  });
  return { min: values[0]![0], median: median![0], max: values.at(-1)![0] };
}
