// A DICOM file's description of its pixels, checked before it is used.

import type { DataSet } from 'dicom-parser';
import { DataError } from '../../../errors/dataError.js';

export interface DicomHeader {
  readonly width: number;
  readonly height: number;
  /** Values per pixel: 1 for gray or palette, 3 for color. */
  readonly samples: 1 | 3;
  /** MONOCHROME2, RGB… */
  readonly photometric: string;
  readonly bitsAllocated: 1 | 8 | 16 | 32;
  readonly bitsStored: number;
  readonly highBit: number;
  readonly isSigned: boolean;
  /** All of one color, then all of the next. */
  readonly isPlanar: boolean;
  readonly frames: number;
  readonly transferSyntax: string;
}

/**
 * Reads and checks the header.
 *
 * @example
 * readDicomHeader(parseDicom(bytes)).photometric // 'MONOCHROME2'
 */
export function readDicomHeader(file: DataSet): DicomHeader {
  if (!file.elements['x7fe00010']) {
    const other = file.elements['x7fe00008'] ?? file.elements['x7fe00009'];
    throw new DataError(
      other ? 'floating-point DICOM pixels are not supported' : 'this is a DICOM file without pixels',
    );
  }
  const samples = whole(file, 'x00280002', 'samples per pixel');
  const bitsAllocated = whole(file, 'x00280100', 'bits allocated');
  const bitsStored = file.uint16('x00280101') ?? bitsAllocated;
  const highBit = file.uint16('x00280102') ?? bitsStored - 1;
  if (samples !== 1 && samples !== 3)
    throw new DataError(`DICOM with ${samples} samples per pixel is not supported`);
  if (bitsAllocated !== 1 && bitsAllocated !== 8 && bitsAllocated !== 16 && bitsAllocated !== 32) {
    throw new DataError(`DICOM with ${bitsAllocated} bits allocated is not supported`);
  }
  if (bitsStored < 1 || bitsStored > bitsAllocated || highBit >= bitsAllocated || highBit + 1 < bitsStored) {
    throw new DataError(
      `damaged DICOM: ${bitsStored} bits stored up to bit ${highBit} of ${bitsAllocated} allocated`,
    );
  }
  return {
    width: whole(file, 'x00280011', 'columns'),
    height: whole(file, 'x00280010', 'rows'),
    samples,
    photometric: text(file, 'x00280004'),
    bitsAllocated,
    bitsStored,
    highBit,
    isSigned: file.uint16('x00280103') === 1,
    isPlanar: samples === 3 && file.uint16('x00280006') === 1,
    frames: frameCount(file),
    transferSyntax: text(file, 'x00020010'),
  };
}

/** The bytes of an uncompressed frame; one with fewer than 8 bits per value may end within a byte. */
export function frameBytes(header: DicomHeader): number {
  return Math.ceil(frameBits(header) / 8);
}

export function frameBits({ width, height, samples, bitsAllocated, photometric }: DicomHeader): number {
  const perPixel = photometric === 'YBR_FULL_422' ? 2 : samples;
  return width * height * perPixel * bitsAllocated;
}

/** The numbers of an attribute that stores them as text, such as window centers. */
export function decimals(file: DataSet, tag: string): number[] {
  const values = (file.string(tag) ?? '').split('\\').filter((part) => part.trim() !== '');
  return values.map(Number).filter(Number.isFinite);
}

/** The first item of a sequence, if any. */
export function firstItem(file: DataSet | undefined, tag: string): DataSet | undefined {
  return file?.elements[tag]?.items?.[0]?.dataSet;
}

function frameCount(file: DataSet): number {
  const given = file.string('x00280008')?.trim() ?? '';
  if (given === '') return 1;
  const frames = Number(given);
  if (!Number.isInteger(frames) || frames < 1) throw new DataError(`damaged DICOM: '${given}' frames`);
  return frames;
}

function whole(file: DataSet, tag: string, name: string): number {
  const value = file.uint16(tag);
  if (value === undefined || value === 0) throw new DataError(`damaged DICOM: no ${name} (${shownTag(tag)})`);
  return value;
}

function text(file: DataSet, tag: string): string {
  const value = file.string(tag)?.trim();
  if (!value) throw new DataError(`damaged DICOM: no ${shownTag(tag)}`);
  return value;
}

function shownTag(tag: string): string {
  return `(${tag.slice(1, 5)},${tag.slice(5)})`;
}
