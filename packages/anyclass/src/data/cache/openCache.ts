import { existsSync, read as readAt } from 'node:fs';
import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { crc32 } from 'node:zlib';
import { fileProblem } from '@anyclass/files';
import { z } from 'zod';
import { counted } from '../../errors/counted.js';
import { DataError } from '../../errors/dataError.js';
import { parsedJson } from '../../files/wholeFile.js';
import type { Dataset } from '../dataset/dataset.js';
import { imageBytes, type PixelFormat } from '../dataset/reading/pixelFormat.js';
import type { DecoderOptions } from '../images/decoding/decoder.js';
import { type ImagesAddon, imagesAddon } from '../images/decoding/imagesAddon.js';
import { jpegDecoder } from '../images/decoding/jpeg.js';
import { decodedPixels, type PixelSource } from '../images/pixelSource.js';
import { rememberedPixels } from '../images/rememberedPixels.js';
import {
  cachePath,
  fingerprintBits,
  manifestFor,
  manifestMatches,
  readRecord,
  recordBytes,
  rowState,
} from './cacheFiles.js';

/** The state of a cache, and a text for a log line. */
export interface CacheState {
  readonly kind: 'absent' | 'stale' | 'partial' | 'complete';
  readonly text: string;
}

/** A line of failed.jsonl. Older versions of the program could leave a line cut off when killed. */
const failureLine = z.object({ row: z.int(), reason: z.string(), missing: z.boolean().optional() });

// Checking a million files takes minutes on a network disk; this many show whether a dataset was replaced.
// `prepareCache` checks all of them.
const sampledRows = 256;

// Rows per request to a thread: enough to keep the overhead small, few enough that every
// thread gets part of a batch.
const rowsAtOnce = 16;

export interface OpenPixelsOptions extends DecoderOptions {
  /** Called once if the cache turns out to be damaged; damaged images are read from their originals. */
  readonly onNote?: ((text: string) => void) | undefined;
  /** Keep decoded images in memory, as far as it has room, because they will be read again. */
  readonly remember?: boolean;
}

/**
 * Opens the images of a dataset: from its cache if prepared, otherwise from the originals. A cache whose
 * originals changed is not used. Every image is checked against its checksum when it is read; if it
 * differs, the original is read.
 *
 * @example
 * const { pixels, state } = await openPixels(dataset, { width: 224, height: 224, channels: 3 }, '.anyclass/cache');
 * console.log(state.text) // cache of 78566 images, all prepared
 */
export async function openPixels(
  dataset: Dataset,
  format: PixelFormat,
  folder: string | undefined,
  options: OpenPixelsOptions = {},
): Promise<{ readonly pixels: PixelSource; readonly state: CacheState }> {
  const decoded = decodedPixels(dataset.images, format, options);
  const originals = options.remember ? rememberedPixels(decoded) : decoded;
  const path = folder === undefined ? undefined : await findCache(folder, dataset, format);
  if (path === undefined) {
    return {
      pixels: originals,
      state: {
        kind: 'absent',
        text: options.remember
          ? 'no cache: images are decoded once and kept in memory, as far as it has room'
          : 'no cache: images are decoded as needed',
      },
    };
  }
  const records = await readFile(join(path, 'rows.bin')).catch(() => Buffer.alloc(0));
  if (records.length !== dataset.names.length * recordBytes || !existsSync(join(path, 'images.bin'))) {
    const text = `cache at ${path} is damaged and not used: prepare it again`;
    return { pixels: originals, state: { kind: 'stale', text } };
  }
  const changed = await firstChanged(dataset, records);
  if (changed !== undefined) {
    const text = `cache at ${path} is stale and not used: '${changed}' changed since; prepare it again`;
    return { pixels: originals, state: { kind: 'stale', text } };
  }
  const done = countDone(records);
  const state: CacheState =
    done === dataset.names.length
      ? { kind: 'complete', text: `cache of ${counted(done, 'image')}, all prepared` }
      : {
          kind: 'partial',
          text: `cache holds ${done} of ${dataset.names.length} images; the others are decoded`,
        };
  return { pixels: await cachedPixels(path, records, originals, options.onNote), state };
}

/**
 * The cache made with this machine's JPEG decoder, or else with the other one: decoding again would change
 * only a few gray levels.
 */
async function findCache(folder: string, dataset: Dataset, format: PixelFormat): Promise<string | undefined> {
  const own = jpegDecoder();
  for (const jpeg of [own, own === 'sharp' ? 'libjpeg-turbo' : 'sharp'] as const) {
    const manifest = manifestFor(dataset, format, jpeg);
    const path = cachePath(folder, manifest);
    if (await manifestMatches(path, manifest)) return path;
  }
  return undefined;
}

async function cachedPixels(
  path: string,
  records: Buffer,
  originals: PixelSource,
  onNote: OpenPixelsOptions['onNote'],
): Promise<PixelSource> {
  const file = await open(join(path, 'images.bin'));
  const read = promisify(readAt);
  const stride = imageBytes(originals.format);
  const failures = new Map<number, string>();
  for (const line of (await readFile(join(path, 'failed.jsonl'), 'utf8').catch(() => '')).split('\n')) {
    const failure = failureLine.safeParse(parsedJson(line));
    // A missing file may be back.
    if (failure.success && !failure.data.missing) failures.set(failure.data.row, failure.data.reason);
  }
  const stateOf = (row: number) => records.readUInt32LE(row * recordBytes);
  const checksumOf = (row: number) => records.readUInt32LE(row * recordBytes + 4);
  let isTold = false;
  const tell = (row: number, problem: string) => {
    if (isTold) return;
    isTold = true;
    onNote?.(
      `cache at ${path} is damaged (row ${row}: ${problem}); damaged images are read from their originals; prepare it again, with every row checked, to repair it`,
    );
  };
  /** Reads a row of the cache into `out`. Returns what is wrong with it; undefined if nothing is. */
  const readCached = async (row: number, out: Uint8Array, offset: number): Promise<string | undefined> => {
    try {
      const { bytesRead } = await read(file.fd, out, offset, stride, row * stride);
      if (bytesRead !== stride) return 'images.bin ends early';
    } catch (error) {
      return `images.bin cannot be read: ${fileProblem(error)}`;
    }
    return crc32(out.subarray(offset, offset + stride)) === checksumOf(row)
      ? undefined
      : 'the checksum differs';
  };
  const readRows = imagesAddon()?.readRows;
  const readReady = async (read: ImagesAddon['readRows'], rows: Int32Array, out: Uint8Array) => {
    if (!rows.every((row) => stateOf(row) === rowState.ready)) return false;
    const parts = [];
    for (let start = 0; start < rows.length; start += rowsAtOnce) {
      const some = rows.subarray(start, start + rowsAtOnce);
      parts.push(read(file.fd, some, Uint32Array.from(some, checksumOf), stride, out, start * stride));
    }
    return (await Promise.all(parts)).every((complete) => complete);
  };
  return {
    format: originals.format,
    async readInto(row, out, offset) {
      const state = stateOf(row);
      const failure = state === rowState.failed ? failures.get(row) : undefined;
      if (failure !== undefined) throw new DataError(failure);
      if (state !== rowState.ready) return originals.readInto(row, out, offset);
      const problem = await readCached(row, out, offset);
      if (problem === undefined) return;
      tell(row, problem);
      await originals.readInto(row, out, offset);
    },
    ...(readRows && { readAll: (rows, out) => readReady(readRows, rows, out) }),
    async close() {
      await file.close();
      await originals.close();
    },
  };
}

/** The name of the first prepared image, in an evenly spread sample, whose original changed. */
async function firstChanged(dataset: Dataset, records: Buffer): Promise<string | undefined> {
  const rows = dataset.names.length;
  const step = Math.max(1, Math.floor(rows / sampledRows));
  for (let row = 0; row < rows; row += step) {
    const record = readRecord(records, row);
    if (record.state !== rowState.ready) continue;
    const now = await dataset.images.fingerprint(row).then(fingerprintBits, () => undefined);
    if (now !== record.fingerprint) return dataset.names.at(row);
  }
  return undefined;
}

function countDone(records: Buffer): number {
  let done = 0;
  for (let at = 0; at < records.length; at += recordBytes)
    if (records.readUInt32LE(at) !== rowState.absent) done += 1;
  return done;
}
