import type { Frame } from './frames.js';
import type { Window } from './window.js';

/** How a file becomes one 8-bit image. */
export interface ImageReading {
  /** Which levels become black and white in images with more than 8 bits. Default `auto`. */
  readonly window?: Window | undefined;
  /** Which frame to use, if there are several. Default: the first. */
  readonly frame?: Frame | undefined;
  /** The most pixels that an image may have. Default 268,402,689. */
  readonly pixelLimit?: number | undefined;
}

/** The size of decoded images, which is the network's input size, and how files are read. */
export interface PixelFormat extends ImageReading {
  readonly width: number;
  readonly height: number;
  /** 1 gray, 3 RGB. */
  readonly channels: 1 | 3;
}

/** Bytes of one decoded image. */
export function imageBytes({ width, height, channels }: PixelFormat): number {
  return width * height * channels;
}
