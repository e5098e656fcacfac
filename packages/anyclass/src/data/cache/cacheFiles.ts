import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writeWhole } from '../../files/wholeFile.js';
import type { Dataset } from '../dataset/dataset.js';
import type { Frame } from '../dataset/reading/frames.js';
import type { PixelFormat } from '../dataset/reading/pixelFormat.js';
import { defaultWindow, type Window, windowText } from '../dataset/reading/window.js';
import { type JpegDecoder, jpegDecoder } from '../images/decoding/jpeg.js';

// A cache is a folder:
//   manifest.json   the dataset, the number of rows, the image size; written first
//   images.bin      row r's pixels at r * imageBytes
//   rows.bin        16 bytes per row: state, CRC-32 of the pixels, fingerprint of the original
//   failed.jsonl    one line for each image that could not be decoded
// A row's record is written after its pixels are on disk, so whenever the process dies,
// a row is whole or absent.

export const rowState = { absent: 0, ready: 1, failed: 2 } as const;
export const recordBytes = 16;

export interface CacheManifest {
  readonly version: 4;
  readonly dataset: string;
  readonly rows: number;
  readonly width: number;
  readonly height: number;
  readonly channels: number;
  readonly jpeg: JpegDecoder;
  /** How images were converted to 8 bits. */
  readonly window: Window;
  readonly frame: Frame;
  /** SHA-256 of all image names in order. */
  readonly names: string;
}

/** The cache's record of a row. */
export interface RowRecord {
  readonly state: number;
  readonly crc: number;
  readonly fingerprint: bigint;
}

/** The folder of the cache that a manifest describes, named after everything that determines its pixels. */
export function cachePath(
  folder: string,
  { dataset, width, height, channels, jpeg, window, frame, names }: CacheManifest,
): string {
  const reading = `${window === defaultWindow ? '' : `-${windowText(window)}`}${frame === 'first' ? '' : `-frame ${frame}`}`;
  const safeName = dataset.replaceAll(/[^a-zA-Z0-9._-]/g, '_');
  const parts = `${safeName}-${width}x${height}x${channels}-${jpeg}${reading.replaceAll(' ', '_')}`;
  return join(folder, `${parts}-${names.slice(0, 12)}`);
}

export function manifestFor(
  dataset: Dataset,
  { width, height, channels, window = defaultWindow, frame = 'first' }: PixelFormat,
  jpeg: JpegDecoder = jpegDecoder(),
): CacheManifest {
  const names = createHash('sha256').update(dataset.names.bytes).digest('hex');
  const rows = dataset.names.length;
  return { version: 4, dataset: dataset.name, rows, width, height, channels, jpeg, window, frame, names };
}

export function writeManifest(path: string, manifest: CacheManifest): void {
  writeWhole(join(path, 'manifest.json'), `${JSON.stringify(manifest, undefined, 2)}\n`);
}

/**
 * Whether the cache at `path` was made for exactly this manifest: the same dataset, size,
 * decoder, window, and frame.
 */
export async function manifestMatches(path: string, wanted: CacheManifest): Promise<boolean> {
  const file = join(path, 'manifest.json');
  if (!existsSync(file)) return false;
  try {
    return JSON.stringify(JSON.parse(await readFile(file, 'utf8'))) === JSON.stringify(wanted);
  } catch {
    return false;
  }
}

export function readRecord(records: Buffer, row: number): RowRecord {
  const at = row * recordBytes;
  return {
    state: records.readUInt32LE(at),
    crc: records.readUInt32LE(at + 4),
    fingerprint: records.readBigUInt64LE(at + 8),
  };
}

export function writeRecord(records: Buffer, row: number, record: RowRecord): void {
  const at = row * recordBytes;
  records.writeUInt32LE(record.state, at);
  records.writeUInt32LE(record.crc, at + 4);
  records.writeBigUInt64LE(record.fingerprint, at + 8);
}

/** 64 bits of a fingerprint's hash, which is what fits into a record. */
export function fingerprintBits(fingerprint: string): bigint {
  return createHash('sha256').update(fingerprint).digest().readBigUInt64LE();
}
