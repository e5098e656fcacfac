// Finds a zip archive's directory from the record at the end of the file, in its 32-bit and 64-bit forms.

import type { RandomAccessFile } from './randomAccessFile.js';

/** The position of the directory in the file, and how many entries it lists. */
export interface ZipDirectory {
  readonly start: number;
  readonly length: number;
  readonly entries: number;
}

/**
 * Finds the directory of a zip archive from its end.
 *
 * @example
 * withFile('model.pt', CheckpointError, findZipDirectory) // { start: 1490, length: 381, entries: 7 }
 */
export function findZipDirectory(file: RandomAccessFile): ZipDirectory {
  const endRecord = findEndRecord(file);
  const wideRecord = findWideEndRecord(file, endRecord.position);
  const { position, start, length, entries } = wideRecord ?? endRecord;
  // Some readers measure from the end, others from the start; the archive is unambiguous only if both agree.
  if (start + length !== position) {
    throw file.error(
      `has a zip directory of ${length} bytes at ${start} that does not end at its end record`,
    );
  }
  if (length > longestDirectory) {
    throw file.error(`has a zip directory of ${length} bytes, over the limit of ${longestDirectory}`);
  }
  if (entries * shortestEntry > length) {
    throw file.error(`claims ${entries} entries in a zip directory of ${length} bytes`);
  }
  return { start, length, entries };
}

interface EndRecord extends ZipDirectory {
  /** Where the record itself starts. */
  readonly position: number;
}

const longestDirectory = 2 ** 27;
const shortestEntry = 46;

function findEndRecord(file: RandomAccessFile): EndRecord {
  const fixed = 22;
  const longestComment = 0xffff;
  const tail = file.read(
    Math.max(0, file.size - fixed - longestComment),
    Math.min(file.size, fixed + longestComment),
  );
  const view = new DataView(tail.buffer);
  for (let i = tail.length - fixed; i >= 0; i--) {
    if (view.getUint32(i, true) !== 0x06054b50 || i + fixed + view.getUint16(i + 20, true) !== tail.length)
      continue;
    if (view.getUint16(i + 4, true) !== 0 || view.getUint16(i + 6, true) !== 0) {
      throw file.error('is one part of a zip archive of several files');
    }
    return {
      position: file.size - tail.length + i,
      entries: view.getUint16(i + 10, true),
      length: view.getUint32(i + 12, true),
      start: view.getUint32(i + 16, true),
    };
  }
  throw file.error('starts like a zip archive but has no directory at its end; truncated?');
}

/** Returns the 64-bit record, which a locator just before the end record points to. torch.save always writes one. */
function findWideEndRecord(file: RandomAccessFile, endRecord: number): EndRecord | undefined {
  const locatorLength = 20;
  const recordLength = 56;
  if (endRecord < locatorLength + recordLength) return undefined;
  const locator = new DataView(file.read(endRecord - locatorLength, locatorLength).buffer);
  if (locator.getUint32(0, true) !== 0x07064b50) return undefined;
  const position = Number(locator.getBigUint64(8, true));
  if (position !== endRecord - locatorLength - recordLength) {
    throw file.error('has a 64-bit zip record that is not where its locator says');
  }
  const record = new DataView(file.read(position, recordLength).buffer);
  if (record.getUint32(0, true) !== 0x06064b50) throw file.error('has a damaged 64-bit zip record');
  return {
    position,
    entries: Number(record.getBigUint64(32, true)),
    length: Number(record.getBigUint64(40, true)),
    start: Number(record.getBigUint64(48, true)),
  };
}
