// Gray DICOM: from stored values to levels (rescale or modality LUT), and the file's
// own window (PS3.3, C.11).

import type { DataSet } from 'dicom-parser';
import { DataError } from '../../../errors/dataError.js';
import type { Levels, StoredValues } from '../levels/levels.js';
import { type DicomHeader, decimals, firstItem } from './dicomHeader.js';

/**
 * The gray levels of a frame.
 *
 * @param frame counted from 0
 *
 * @example
 * const { slope, intercept } = grayLevels(file, header, values, 0); // 1, -1024 in many CT files
 */
export function grayLevels(file: DataSet, header: DicomHeader, values: StoredValues, frame: number): Levels {
  const { width, height, photometric } = header;
  const rescale = [firstItem(frameGroup(file, frame, 'x00289145'), 'x00289145'), file].find(
    (place) => place?.elements['x00281053'] !== undefined,
  );
  const modality = lookupTable(firstItem(file, 'x00283000'), header.isSigned);
  const window = firstItem(frameGroup(file, frame, 'x00289132'), 'x00289132') ?? file;
  return {
    width,
    height,
    channels: 1,
    values: modality ? mapped(values, modality) : values,
    slope: (!modality && rescale && decimals(rescale, 'x00281053')[0]) || 1,
    intercept: (!modality && rescale && decimals(rescale, 'x00281052')[0]) || 0,
    ownWindow: voiTable(file) ?? voiWindow(window),
    isInverted: photometric === 'MONOCHROME1',
    padding: modality ? undefined : paddingOf(file, header),
  };
}

/**
 * The group with a frame's attribute in an enhanced file: the frame's own, or the one shared by all frames.
 */
function frameGroup(file: DataSet, frame: number, tag: string): DataSet | undefined {
  const own = file.elements['x52009230']?.items?.[frame]?.dataSet;
  return [own, firstItem(file, 'x52009229')].find((group) => group?.elements[tag] !== undefined);
}

/** The first window: its center, width, and function. */
function voiWindow(file: DataSet): ((level: number) => number) | undefined {
  const [center] = decimals(file, 'x00281050');
  const [width] = decimals(file, 'x00281051');
  if (center === undefined || width === undefined) return undefined;
  const kind = file.string('x00281056')?.trim() || 'LINEAR';
  if (kind === 'SIGMOID' && width > 0) return (level) => 1 / (1 + Math.exp((-4 * (level - center)) / width));
  if (kind === 'LINEAR_EXACT' && width > 0) return (level) => (level - center) / width + 0.5;
  if (kind === 'LINEAR' && width > 1) return (level) => (level - (center - 0.5)) / (width - 1) + 0.5;
  if (kind === 'LINEAR' && width === 1) return (level) => (level > center - 0.5 ? 1 : 0);
  throw new DataError(`the DICOM window has width ${width} (${kind}); set data.window instead`);
}

/** The file's lookup table, which replaces the window. */
function voiTable(file: DataSet): ((level: number) => number) | undefined {
  const table = lookupTable(firstItem(file, 'x00283010'), false);
  if (!table) return undefined;
  const { first, entries, largest } = table;
  return (level) => {
    const at = Math.min(entries.length - 1, Math.max(0, Math.round(level) - first));
    return entries[at]! / largest;
  };
}

export interface LookupTable {
  /** The value that the first entry stands for. */
  readonly first: number;
  readonly entries: Uint8Array | Uint16Array;
  /** The largest value that its bits allow. */
  readonly largest: number;
}

function lookupTable(item: DataSet | undefined, isSigned: boolean): LookupTable | undefined {
  return item && readLookupTable(item, 'x00283002', 'x00283006', isSigned);
}

/** Reads a lookup table, given the tags of its descriptor and its data. */
export function readLookupTable(
  item: DataSet,
  descriptor: string,
  data: string,
  isSigned: boolean,
): LookupTable | undefined {
  const element = item.elements[data];
  const count = item.uint16(descriptor, 0);
  const bits = item.uint16(descriptor, 2);
  if (!element || count === undefined || bits === undefined) return undefined;
  const length = count === 0 ? 0x10000 : count;
  if (bits < 8 || bits > 16) throw new DataError(`damaged DICOM: a table of ${bits} bits`);
  const isBytes = element.length < 2 * length;
  const words = isBytes
    ? item.byteArray.subarray(element.dataOffset, element.dataOffset + length)
    : undefined;
  if (element.length < length || (words && bits > 8))
    throw new DataError('damaged DICOM: a lookup table is truncated');
  const entries = words ?? Uint16Array.from({ length }, (_, i) => item.uint16(data, i) ?? 0);
  const first = (isSigned ? item.int16(descriptor, 1) : item.uint16(descriptor, 1)) ?? 0;
  return { first, entries, largest: 2 ** bits - 1 };
}

function mapped(values: StoredValues, { first, entries }: LookupTable): Uint16Array {
  return Uint16Array.from(
    values,
    (value) => entries[Math.min(entries.length - 1, Math.max(0, value - first))]!,
  );
}

function paddingOf(file: DataSet, { isSigned }: DicomHeader): readonly [number, number] | undefined {
  const read = (tag: string) => (isSigned ? file.int16(tag) : file.uint16(tag));
  const value = read('x00280120');
  if (value === undefined) return undefined;
  const limit = read('x00280121') ?? value;
  return [Math.min(value, limit), Math.max(value, limit)];
}
