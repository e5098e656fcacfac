// Surveys the levels and frames of a dataset's images, and whether the configured window and frame suit them.

import type { Words } from '../../errors/counted.js';
import { type CountedNames, countedNames } from '../dataset/countedNames.js';
import type { Dataset, Remark } from '../dataset/dataset.js';
import { pixelFormat } from '../dataset/preparation.js';
import type { ImageReading } from '../dataset/reading/pixelFormat.js';
import { type Window, windowText } from '../dataset/reading/window.js';
import { createDecoder } from './decoding/decoder.js';
import type { Range, SurveyedImage } from './decoding/surveyImage.js';

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

/** What a few images, or all, have shown. */
export interface LevelSurvey {
  /** Adds the image of a row, in any order. */
  add(row: number, name: string, image: SurveyedImage): void;
  /** The median of the shorter sides in pixels; undefined without images. */
  side(): number | undefined;
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
 * survey.add(0, '1.png', await surveyImage({ kind: 'encoded', bytes }, {}));
 * survey.statistics()?.suggested // [0, 4095]
 */
export function createLevelSurvey(reading: ImageReading): LevelSurvey {
  const { window, frame } = reading;
  const sides: number[] = [];
  const ranges: Range[] = [];
  const typical: Range[] = [];
  const plain = countedNames();
  const several = countedNames();
  const withoutOwn = countedNames();
  const cutOff = countedNames();
  const statistics = () =>
    ranges.length === 0 ? undefined : summary(ranges, typical, ranges.length - withoutOwn.count);
  return {
    add(row, name, { width, height, frames, levels }) {
      sides.push(Math.min(width, height));
      if (frames > 1) several.add(`${name} (${frames} frames)`, row);
      if (!levels) {
        plain.add(name, row);
        return;
      }
      const text = `${name} (${levels.range.map(rounded).join(' to ')})`;
      ranges.push(levels.range);
      typical.push(levels.typical);
      if (!levels.hasOwnWindow) withoutOwn.add(text, row);
      if (levels.outside > mostCutOff) cutOff.add(text, row);
    },
    side: () => (sides.length === 0 ? undefined : median(sides)),
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
  const decoder = createDecoder(pixelFormat(1, dataset.preparation), { processes: 1 });
  try {
    for (let i = 0; i < rows.length; i += step) {
      const row = rows[i]!;
      // Unreadable images are reported when they are decoded.
      const image = await dataset.images
        .read(row)
        .then(decoder.survey)
        .catch(() => undefined);
      if (image) survey.add(row, dataset.names.at(row), image);
    }
  } finally {
    await decoder.close();
  }
  return survey;
}

/** The problems found in a few images, as log lines. */
export function levelRemarks(survey: LevelSurvey): string[] {
  return survey.problems(true).map(({ text, examples }) => `warning: ${text}; for example, ${examples[0]}`);
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

function median(values: number[]): number {
  return rounded(values.sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0);
}

function rounded(value: number): number {
  return Number.isInteger(value) ? value : Number(value.toPrecision(4));
}
