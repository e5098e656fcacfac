// Which levels and frames the images of a dataset have, and whether the window and the frame that are set suit them.

import type { Words } from '../../../errors/counted.js';
import { type CountedNames, countedNames } from '../../countedNames.js';
import type { Dataset, Remark } from '../../dataset.js';
import { imageSize } from '../decode.js';
import type { StoredImage } from '../imageSource.js';
import { type ImageReading, imageLevels } from '../unpack.js';
import { type Levels, percentileLevels } from './levels.js';
import { type Window, windowText } from './window.js';

type Range = readonly [low: number, high: number];

/** What images of more than 8 bits hold. */
export interface LevelStatistics {
  readonly images: number;
  /** Of these, DICOM files that say how they are to be shown. */
  readonly withOwnWindow: number;
  readonly lowest: number;
  readonly highest: number;
  /** Medians over the images of their 0.5th and 99.5th percentiles. */
  readonly typical: Range;
  /** One window for all, which cuts nothing off. */
  readonly suggested: Range;
}

/** Something about levels or frames that a user should decide. */
export interface LevelProblem extends Remark {
  readonly kind: 'no-window' | 'unfit-window' | 'frames';
}

export interface LevelSurvey {
  /** Looks at the image of a row, in any order; rejects where it cannot be read. */
  add(row: number, name: string, image: StoredImage): Promise<void>;
  /** Undefined where all images have 8 bits. */
  statistics(): LevelStatistics | undefined;
  /** `isSample` words them for many, of which the images looked at are a few. */
  problems(isSample?: boolean): LevelProblem[];
}

/** A window that leaves this much of an image black or white was meant for others. */
const mostCutOff = 0.9;

/**
 * Looks at images one after another.
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
 * The same for a few images, evenly spread: enough to hear of a window that is missing before anything is decoded.
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
    // What cannot be read is reported where it is decoded.
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

/** The problems of a few images, as lines for a log. */
export async function levelRemarks(dataset: Dataset, rows: Int32Array): Promise<string[]> {
  const problems = (await surveySample(dataset, rows)).problems(true);
  return problems.map(({ text, examples }) => `warning: ${text}; such as ${examples[0]}`);
}

function noWindowWords([low, high]: Range = [0, 65535]): Words {
  const advice = `from its own darkest to its brightest level. Set data.window=[${low},${high}] to keep levels comparable, or data.window=auto to keep this`;
  return [
    `image of more than 8 bits, and data.window is not set: it is stretched ${advice}`,
    `images of more than 8 bits, and data.window is not set: each is stretched ${advice}`,
  ];
}

function cutOffWords(window: Window): Words {
  const effect = `that data.window ${windowText(window)} makes almost entirely black or white; choose levels that`;
  return [`image ${effect} it has`, `images ${effect} they have`];
}

const plainWords: Words = [
  'image of 8 bits, on which data.window has no effect',
  'images of 8 bits, on which data.window has no effect',
];

const chooseFrame = 'set data.frame to first, middle, last or a number to choose';
const severalWords: Words = [
  `file with several frames, of which the first is used; ${chooseFrame}`,
  `files with several frames, of which the first is used; ${chooseFrame}`,
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

/** Of levels that count from 0, the largest that their bits can hold: 12 bits, 14, 16. */
function topLevel(lowest: number, highest: number): number {
  const whole = [255, 1023, 4095, 16_383, 65_535].find((top) => highest <= top);
  return lowest >= 0 && highest > 1 && whole !== undefined ? whole : rounded(highest);
}

/** The share of an image below or above a window. */
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
