// Converts color DICOM to RGB.

import type { DataSet } from 'dicom-parser';
import { DataError } from '../../../errors/dataError.js';
import type { StoredValues } from '../levels/levels.js';
import type { DicomHeader } from './dicomHeader.js';
import { type LookupTable, readLookupTable } from './grayLevels.js';

/** Palette colors as 8-bit RGB. */
export function paletteColors(file: DataSet, { isSigned }: DicomHeader, values: StoredValues): Uint8Array {
  const tables = [1, 2, 3].map((color) => {
    const table = readLookupTable(file, `x0028110${color}`, `x0028120${color}`, isSigned);
    if (!table) throw new DataError('the DICOM file lacks its color palette');
    return byteTable(table);
  });
  const { first, entries } = readLookupTable(file, 'x00281101', 'x00281201', isSigned)!;
  const pixels = new Uint8Array(values.length * 3);
  for (let i = 0; i < values.length; i++) {
    const at = Math.min(entries.length - 1, Math.max(0, values[i]! - first));
    for (let c = 0; c < 3; c++) pixels[3 * i + c] = tables[c]![at]!;
  }
  return pixels;
}

/** Eight bits of each entry. Some files store 8-bit values in words that they declare as 16 bits. */
function byteTable({ entries, largest }: LookupTable): Uint8Array {
  const isInBytes = largest === 255 || entries.every((entry) => entry < 256);
  return Uint8Array.from(entries, (entry) => (isInBytes ? entry : entry >> 8));
}

/** Converts YCbCr (ITU-R BT.601, full range) to RGB, in place. */
export function ybrToRgb(pixels: Uint8Array): Uint8Array {
  const byte = (value: number) => Math.min(255, Math.max(0, Math.round(value)));
  for (let i = 0; i < pixels.length; i += 3) {
    const y = pixels[i]!;
    const blue = pixels[i + 1]! - 128;
    const red = pixels[i + 2]! - 128;
    pixels[i] = byte(y + 1.402 * red);
    pixels[i + 1] = byte(y - 0.344136 * blue - 0.714136 * red);
    pixels[i + 2] = byte(y + 1.772 * blue);
  }
  return pixels;
}

/** Expands pairs of pixels that share their colors (Y, Y, Cb, Cr) to three values per pixel. */
export function fullYbr(shared: Uint8Array): Uint8Array {
  const pixels = new Uint8Array((shared.length / 4) * 6);
  for (let i = 0, at = 0; i + 3 < shared.length; i += 4) {
    for (const luma of [shared[i]!, shared[i + 1]!]) {
      pixels[at++] = luma;
      pixels[at++] = shared[i + 2]!;
      pixels[at++] = shared[i + 3]!;
    }
  }
  return pixels;
}
