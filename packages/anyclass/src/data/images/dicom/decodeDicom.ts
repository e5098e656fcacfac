import { DataError } from '../../../errors/dataError.js';
import type { StoredImage } from '../../dataset/imageSource.js';
import { type Frame, frameIndex } from '../../dataset/reading/frames.js';
import { checkPixels } from '../../dataset/reading/pixelLimit.js';
import type { Levels } from '../levels/levels.js';
import { fullYbr, paletteColors, ybrToRgb } from './colors.js';
import type { DicomHeader } from './dicomHeader.js';
import { frameSamples } from './frameSamples.js';
import { grayLevels } from './grayLevels.js';
import { openDicom } from './openDicom.js';
import { storedValues } from './storedValues.js';

/**
 * Decodes a frame of a DICOM file: to pixels if the file has 8-bit colors, otherwise to levels, for which a
 * window is to be chosen.
 *
 * @example
 * await decodeDicom(await readFile('chest.dcm'), { frame: 'first' })
 */
export async function decodeDicom(
  bytes: Uint8Array,
  {
    frame = 'first',
    pixelLimit,
  }: { readonly frame?: Frame | undefined; readonly pixelLimit?: number | undefined },
): Promise<Levels | Extract<StoredImage, { kind: 'pixels' }>> {
  const opened = await openDicom(bytes);
  const { header } = opened;
  const { width, height, photometric } = header;
  checkPixels(width, height, pixelLimit);
  const index = frameIndex(frame, header.frames);
  const file = await opened.withFrame(index);
  const samples = await frameSamples(file, header, index);
  const pixels = (rgb: Uint8Array) => ({ kind: 'pixels', pixels: rgb, width, height, channels: 3 }) as const;
  if (photometric === 'YBR_FULL_422' && !samples.isRgb) {
    if (header.bitsAllocated !== 8) throw unread(header);
    return pixels(ybrToRgb(fullYbr(samples.bytes)));
  }
  const values = storedValues(samples, header);
  if (photometric === 'PALETTE COLOR') return pixels(paletteColors(file, header, values));
  if (photometric === 'MONOCHROME1' || photometric === 'MONOCHROME2') {
    return grayLevels(file, header, values, index);
  }
  if (header.samples !== 3) throw unread(header);
  const isRgb = photometric === 'RGB' || samples.isRgb;
  if (values instanceof Uint8Array) {
    if (isRgb) return pixels(values);
    if (photometric === 'YBR_FULL') return pixels(ybrToRgb(values));
  }
  if (!isRgb) throw unread(header);
  return { width, height, channels: 3, values, slope: 1, intercept: 0 };
}

/** The size of a DICOM image, and how many frames its file has. */
export async function dicomSize(
  bytes: Uint8Array,
): Promise<{ width: number; height: number; channels: number; frames: number }> {
  const { width, height, samples, frames } = (await openDicom(bytes)).header;
  return { width, height, channels: samples, frames };
}

function unread({ photometric, bitsAllocated }: DicomHeader): DataError {
  return new DataError(`DICOM with ${photometric} of ${bitsAllocated} bits is not supported`);
}
