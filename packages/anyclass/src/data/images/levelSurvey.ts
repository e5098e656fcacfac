// Surveys the levels and frames of a dataset's images, and whether the configured window and frame suit them.

import type { Words } from '../../errors/counted.js';
import { type CountedNames, countedNames } from '../dataset/countedNames.js';
import type { Dataset, Remark } from '../dataset/dataset.js';
import type { StoredImage } from '../dataset/imageSource.js';
import type { ImageReading } from '../dataset/reading/pixelFormat.js';
import { type Window, windowText } from '../dataset/reading/window.js';
import { imageSize } from './decoding/decode.js';
import { imageLevels } from './formats/unpack.js';
import { type Levels, percentileLevels } from './levels/levels.js';

type Range = readonly [low: number, high: number];

/** The levels of images with more than 8 bits. */
export interface LevelStatistics {
  readonly images: number;
  /** How many of them are DICOM files with their own window. */
  readonly withOwnWindow: number;
  readonly lowest: number;
  readonly highest: number;
  /** The medians, over the images, of their 0.5th and 99.5th percentiles. */
  readonly typical: Range;
  /** One window for all images that clips nothing. */
  readonly suggested: Range;
}

/** A choice of levels or frames that the user should make. */
export interface LevelProblem extends Remark {
  readonly kind: 'no-window' | 'unfit-window' | 'frames';
}

export interface LevelSurvey {
  /** Examines the image of a row, in any order; rejects if it cannot be read. */
  add(row: number, name: string, image: StoredImage): Promise<void>;
  /** Undefined if all images have 8 bits. */
  statistics(): LevelStatistics | undefined;
  /** With `isSample`, the wording is plural, because the examined images stand for many. */
  problems(isSample?: boolean): LevelProblem[];
}

/** A window that turns more than this share of an image black or white was meant for other images. */
const mostCutOff = 0.9;

/**
 * Creates a survey, to which images are added one after another.
 *
 * @param reading the window and the frame to judge
 *
 * @example
 * const survey = createLevelSurvey({});
 * await survey.add(0, '1.png', { kind: 'encoded', bytes });
 * survey.statistics()?.suggested // [0, 4095]
 */
export function createLevelSurvey(reading: ImageReading): LevelSurvey {
  const { window, frame } = reading;
  const ranges: Range[] = [];
  const typical: Range[] = [];
  const plain = countedNames();
  const several = countedNames();
  const withoutOwn = countedNames();
  const cutOff = countedNames();
  const statistics = () =>
    ranges.length === 0 ? undefined : summary(ranges, typical, ranges.length - withoutOwn.count);
  return {
    async add(row, name, image) {
      const { frames } = await imageSize(image, reading);
      if (frames > 1) several.add(`${name} (${frames} frames)`, row);
      const levels = await imageLevels(image, reading);
      const range = levels && percentileLevels(levels, [0, 100]);
      if (!levels || !range) {
        plain.add(name, row);
        return;
      }
      const text = `${name} (${range.map(rounded).join(' to ')})`;
      ranges.push(range);
      typical.push(percentileLevels(levels, [0.5, 99.5]) ?? range);
      if (!levels.ownWindow) withoutOwn.add(text, row);
      if (isFixed(window) && shareOutside(levels, window) > mostCutOff) cutOff.add(text, row);
    },
    statistics,
    problems(isSample = false) {
      const found = statistics();
      const problem = (kind: LevelProblem['kind'], names: CountedNames, [one, many]: Words) =>
        names.remarks(isSample ? many : one, many).map((remark) => ({ kind, ...remark }));
      return [
        ...(window === undefined ? problem('no-window', withoutOwn, noWindowWords(found?.suggested)) : []),
        ...(window === undefined ? [] : problem('unfit-window', cutOff, cutOffWords(window))),
        ...(window !== undefined && !found ? problem('unfit-window', plain, plainWords) : []),
        ...(frame === undefined ? problem('frames', several, severalWords) : []),
      ];
    },
  };
}

const looksAt = 16;

/**
 * Surveys a few images, evenly spread: enough to notice a missing window before anything is decoded.
 *
 * @example
 * (await surveySample(dataset, dataset.splits.train)).problems()
 */
export async function surveySample(dataset: Dataset, rows: Int32Array): Promise<LevelSurvey> {
  const survey = createLevelSurvey(dataset.preparation);
  if (dataset.images.absent !== undefined) return survey;
  const step = Math.max(1, Math.ceil(rows.length / looksAt));
  for (let i = 0; i < rows.length; i += step) {
    const row = rows[i]!;
    // Unreadable images are reported when they are decoded.
    await dataset.images
      .read(row)
      .then(
        (image) => survey.add(row, dataset.names.at(row), image),
        () => {},
      )
      .catch(() => {});
  }
  return survey;
}

/** The problems found in a few images, as log lines. */
export async function levelRemarks(dataset: Dataset, rows: Int32Array): Promise<string[]> {
  const problems = (await surveySample(dataset, rows)).problems(true);
  return problems.map(({ text, examples }) => `warning: ${text}; for example, ${examples[0]}`);
}

function noWindowWords([low, high]: Range = [0, 65535]): Words {
  const advice = `from its own darkest to its brightest level. Set data.window=[${low},${high}] to keep levels comparable, or data.window=auto to accept this`;
  return [
    `image with more than 8 bits, but data.window is not set: it is stretched ${advice}`,
    `images with more than 8 bits, but data.window is not set: each is stretched ${advice}`,
  ];
}

function cutOffWords(window: Window): Words {
  const effect = `that data.window ${windowText(window)} makes almost entirely black or white; choose levels that`;
  return [`image ${effect} it has`, `images ${effect} they have`];
}

const plainWords: Words = [
  'image with 8 bits, on which data.window has no effect',
  'images with 8 bits, on which data.window has no effect',
];

const chooseFrame = 'set data.frame to first, middle, last, or a number to choose another';
const severalWords: Words = [
  `file with several frames, only the first of which is used; ${chooseFrame}`,
  `files with several frames, only the first of which is used; ${chooseFrame}`,
];

function summary(
  ranges: readonly Range[],
  typical: readonly Range[],
  withOwnWindow: number,
): LevelStatistics {
  const lowest = ranges.reduce((least, [low]) => Math.min(least, low), Number.POSITIVE_INFINITY);
  const highest = ranges.reduce((most, [, high]) => Math.max(most, high), Number.NEGATIVE_INFINITY);
  return {
    images: ranges.length,
    withOwnWindow,
    lowest,
    highest,
    typical: [median(typical.map(([low]) => low)), median(typical.map(([, high]) => high))],
    suggested: [lowest >= 0 && highest > 1 ? 0 : rounded(lowest), topLevel(lowest, highest)],
  };
}

/** For levels that start at 0, the largest value of their bit depth (10, 12, 14, 16 bits). */
function topLevel(lowest: number, highest: number): number {
  const whole = [255, 1023, 4095, 16_383, 65_535].find((top) => highest <= top);
  return lowest >= 0 && highest > 1 && whole !== undefined ? whole : rounded(highest);
}

/** The share of an image's pixels below or above a window. */
function shareOutside({ values, slope, intercept }: Levels, [low, high]: Range): number {
  let outside = 0;
  for (let i = 0; i < values.length; i++) {
    const level = slope * values[i]! + intercept;
    if (level < low || level > high) outside += 1;
  }
  return outside / Math.max(1, values.length);
}

function isFixed(window: Window | undefined): window is Range {
  return Array.isArray(window);
}

function median(values: number[]): number {
  return rounded(values.sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0);
}

function rounded(value: number): number {
  return Number.isInteger(value) ? value : Number(value.toPrecision(4));
}
