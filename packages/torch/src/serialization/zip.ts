// Reads the zip files that torch.save writes. Entries are found through the directory and checked against their own
// headers. Format: PKWARE APPNOTE 6.3. Hostile archives exploit readers that interpret odd archives differently, so
// whatever is ambiguous (overlaps, duplicate names, headers that disagree) is refused.

import { crc32, inflateRawSync } from 'node:zlib';
import { quoted } from './errors.js';
import type { RandomAccessFile } from './randomAccessFile.js';
import { findZipDirectory } from './zipDirectory.js';

/** A file in the archive: where its bytes are, and the size and checksum they must have. */
export interface ZipEntry {
  readonly name: string;
  readonly size: number;
  readonly storedSize: number;
  readonly deflated: boolean;
  readonly checksum: number;
  readonly dataStart: number;
}

/**
 * Lists the entries of an archive by name. Each has been checked to lie inside the file without overlapping another.
 *
 * @example
 * withFile('model.pt', CheckpointError, (file) => listZipEntries(file).get('model/version')?.size) // 2
 */
export function listZipEntries(file: RandomAccessFile): Map<string, ZipEntry> {
  const directory = findZipDirectory(file);
  const bytes = file.read(directory.start, directory.length);
  const view = new DataView(bytes.buffer);
  const entries = new Map<string, ZipEntry>();
  const extents: Extent[] = [];
  let position = 0;
  for (let i = 0; i < directory.entries; i++) {
    const record = readRecord(file, view, position);
    if (entries.has(record.name)) throw file.error(`holds two entries called ${quoted(record.name)}`);
    const dataStart = findData(file, record, directory.start);
    entries.set(record.name, { ...record, dataStart });
    extents.push({ name: record.name, start: record.headerStart, end: dataStart + record.storedSize });
    position = record.next;
  }
  refuseOverlaps(file, extents);
  refuseBombs(file, entries);
  return entries;
}

/**
 * Returns the bytes of an entry, inflated if necessary, and checked against their checksum.
 *
 * @example
 * readZipEntry(file, { name: 'model/version', … }) // the 2 bytes '3\n'
 */
export function readZipEntry(file: RandomAccessFile, entry: ZipEntry): Uint8Array<ArrayBuffer> {
  const stored = file.read(entry.dataStart, entry.storedSize);
  const bytes = entry.deflated ? inflate(file, entry, stored) : stored;
  if (crc32(bytes) !== entry.checksum) {
    throw file.error(`entry ${quoted(entry.name)} does not match its checksum: ${damaged}`);
  }
  return bytes;
}

interface DirectoryRecord extends Omit<ZipEntry, 'dataStart'> {
  readonly nameBytes: Uint8Array;
  readonly headerStart: number;
  readonly next: number;
}

interface Extent {
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

const encryptedFlag = 1;
const storedMethod = 0;
const deflatedMethod = 8;
const inZip64 = 0xffffffff;
const damaged = 'the file is damaged (or was saved after torch.serialization.set_crc32_options(False))';

/** Reads the directory's record of one entry. */
function readRecord(file: RandomAccessFile, view: DataView, position: number): DirectoryRecord {
  const fixed = 46;
  if (position + fixed > view.byteLength || view.getUint32(position, true) !== 0x02014b50) {
    throw file.error('has a zip directory that breaks off; the file is damaged');
  }
  const nameEnd = position + fixed + view.getUint16(position + 28, true);
  const extraEnd = nameEnd + view.getUint16(position + 30, true);
  const next = extraEnd + view.getUint16(position + 32, true);
  if (next > view.byteLength) throw file.error('has a zip directory that breaks off; the file is damaged');

  const nameBytes = new Uint8Array(view.buffer, position + fixed, nameEnd - position - fixed);
  const name = entryName(file, nameBytes);
  if ((view.getUint16(position + 8, true) & encryptedFlag) !== 0) {
    throw file.error(`entry ${quoted(name)} is encrypted`);
  }
  const method = view.getUint16(position + 10, true);
  if (method !== storedMethod && method !== deflatedMethod) {
    throw file.error(`entry ${quoted(name)} is compressed by method ${method}; only deflate is supported`);
  }
  const wide = zip64Values(view, nameEnd, extraEnd);
  // Fields too large for 32 bits are stored in the zip64 field, in this order.
  const [size, storedSize, headerStart] = [24, 20, 42].map((field) => {
    const value = view.getUint32(position + field, true);
    return value === inZip64 ? wide.next().value : value;
  });
  if (size === undefined || storedSize === undefined || headerStart === undefined) {
    throw file.error(`entry ${quoted(name)} lacks its 64-bit sizes; the file is damaged`);
  }
  const deflated = method === deflatedMethod;
  if (!deflated && size !== storedSize) {
    throw file.error(`entry ${quoted(name)} is stored as it is but has two sizes, ${size} and ${storedSize}`);
  }
  const checksum = view.getUint32(position + 16, true);
  return { name, nameBytes, size, storedSize, deflated, checksum, headerStart, next };
}

/** Returns where an entry's bytes start: after its own header, which must agree with the directory. */
function findData(file: RandomAccessFile, record: DirectoryRecord, dataEnd: number): number {
  const fixed = 30;
  const { name, nameBytes, headerStart } = record;
  if (headerStart + fixed + nameBytes.length > dataEnd) {
    throw file.error(
      `entry ${quoted(name)} claims to start at byte ${headerStart}, outside the archive's data`,
    );
  }
  const header = file.read(headerStart, fixed + nameBytes.length);
  const view = new DataView(header.buffer);
  const agrees =
    view.getUint32(0, true) === 0x04034b50 &&
    view.getUint16(8, true) === (record.deflated ? deflatedMethod : storedMethod) &&
    view.getUint16(26, true) === nameBytes.length &&
    Buffer.compare(header.subarray(fixed), nameBytes) === 0;
  if (!agrees)
    throw file.error(`entry ${quoted(name)} has a header that differs from the directory; damaged?`);
  const dataStart = headerStart + fixed + nameBytes.length + view.getUint16(28, true);
  if (dataStart + record.storedSize > dataEnd) {
    throw file.error(`entry ${quoted(name)} claims ${record.storedSize} bytes, more than the archive holds`);
  }
  return dataStart;
}

function entryName(file: RandomAccessFile, bytes: Uint8Array): string {
  let name: string;
  try {
    name = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw file.error('holds an entry whose name is not UTF-8', { cause });
  }
  // Tools that pack folders list them too, with a trailing slash.
  const steps = name.replace(/\/$/, '').split('/');
  if (/[\\\p{Cc}]/u.test(name) || steps.some((step) => step === '' || step === '.' || step === '..')) {
    throw file.error(`holds an entry with the suspicious name ${quoted(name)}`);
  }
  return name;
}

/** Yields the 64-bit numbers of the zip64 extra field, one after another. */
function* zip64Values(view: DataView, start: number, end: number): Generator<number, undefined> {
  for (let position = start; position + 4 <= end; ) {
    const id = view.getUint16(position, true);
    const fieldEnd = position + 4 + view.getUint16(position + 2, true);
    if (id === 1) {
      for (let at = position + 4; at + 8 <= Math.min(fieldEnd, end); at += 8) {
        yield Number(view.getBigUint64(at, true));
      }
      return undefined;
    }
    position = fieldEnd;
  }
  return undefined;
}

function refuseOverlaps(file: RandomAccessFile, extents: Extent[]): void {
  extents.sort((a, b) => a.start - b.start);
  for (const [i, extent] of extents.entries()) {
    const previous = extents[i - 1];
    if (previous !== undefined && extent.start < previous.end) {
      throw file.error(`entries ${quoted(previous.name)} and ${quoted(extent.name)} overlap`);
    }
  }
}

/** torch.save does not compress. Repacked archives shrink a little, zip bombs a thousandfold. */
function refuseBombs(file: RandomAccessFile, entries: ReadonlyMap<string, ZipEntry>): void {
  const limit = Math.max(2 ** 26, 20 * file.size);
  let inflated = 0;
  for (const entry of entries.values()) if (entry.deflated) inflated += entry.size;
  if (inflated > limit) {
    throw file.error(`claims to inflate from ${file.size} to ${inflated} bytes, over the limit of ${limit}`);
  }
}

function inflate(file: RandomAccessFile, entry: ZipEntry, stored: Uint8Array): Uint8Array<ArrayBuffer> {
  try {
    const inflated = inflateRawSync(stored, { maxOutputLength: Math.max(1, entry.size) });
    // Copied, since zlib may return part of a larger buffer at any offset.
    if (inflated.length === entry.size) return new Uint8Array(inflated);
  } catch (cause) {
    throw file.error(`entry ${quoted(entry.name)} cannot be inflated to its ${entry.size} bytes`, { cause });
  }
  throw file.error(`entry ${quoted(entry.name)} does not inflate to its ${entry.size} bytes`);
}
