import { DataError } from '../../../errors/dataError.js';

/**
 * Which frame of a file is the image: a page of a TIFF, or a frame of a GIF, WebP, or
 * DICOM. Numbers count from 1.
 */
export type Frame = 'first' | 'middle' | 'last' | number;

/**
 * The index of the frame to read. A file with one frame always gives that frame.
 *
 * @example
 * frameIndex('middle', 30) // 14
 * frameIndex(3, 30) // 2
 */
export function frameIndex(frame: Frame, frames: number): number {
  if (frames <= 1 || frame === 'first') return 0;
  if (frame === 'middle') return Math.floor((frames - 1) / 2);
  if (frame === 'last') return frames - 1;
  if (frame > frames) throw new DataError(`has ${frames} frames; data.frame asks for ${frame}`);
  return frame - 1;
}
