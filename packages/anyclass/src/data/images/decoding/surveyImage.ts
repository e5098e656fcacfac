import type { StoredImage } from '../../dataset/imageSource.js';
import type { ImageReading } from '../../dataset/reading/pixelFormat.js';
import type { Window } from '../../dataset/reading/window.js';
import { type ImageFacts, imageLevels } from '../formats/unpack.js';
import { type Levels, percentileLevels } from '../levels/levels.js';
import { imageSize } from './decode.js';

export type Range = readonly [low: number, high: number];

/** What a survey needs to know about an image, without its pixels. */
export interface SurveyedImage extends ImageFacts {
  /** Of an image with more than 8 bits. */
  readonly levels?: SurveyedLevels | undefined;
}

export interface SurveyedLevels {
  readonly range: Range;
  /** The 0.5th and 99.5th percentiles. */
  readonly typical: Range;
  readonly hasOwnWindow: boolean;
  /** The share of pixels outside of the configured window; 0 if there is none. */
  readonly outside: number;
}

/**
 * Looks at the size, frames and levels of an image.
 *
 * @example
 * (await surveyImage({ kind: 'encoded', bytes }, {})).levels?.range // [0, 4095]
 */
export async function surveyImage(image: StoredImage, reading: ImageReading): Promise<SurveyedImage> {
  const { width, height, channels, frames } = await imageSize(image, reading);
  const levels = await imageLevels(image, reading);
  const range = levels && percentileLevels(levels, [0, 100]);
  const facts = { width, height, channels, frames };
  if (!levels || !range) return facts;
  return {
    ...facts,
    levels: {
      range,
      typical: percentileLevels(levels, [0.5, 99.5]) ?? range,
      hasOwnWindow: levels.ownWindow !== undefined,
      outside: isFixed(reading.window) ? shareOutside(levels, reading.window) : 0,
    },
  };
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
