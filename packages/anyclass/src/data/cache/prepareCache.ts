import { type FileHandle, mkdir, open } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { namedError, takeSharedLock } from '@anyclass/files';
import { gatherLists } from '../../distribution/exchange.js';
import { keptPace } from '../../distribution/pace.js';
import { ownThreads, type Ranks } from '../../distribution/ranks.js';
import { type FolderTeam, teamOfFolder } from '../../distribution/sameFolder.js';
import { shareOf } from '../../distribution/shares.js';
import type { RunEventListener } from '../../events/runEvent.js';
import type { Quarantined } from '../../events/runSummary.js';
import { writeWhole } from '../../files/wholeFile.js';
import type { Dataset } from '../dataset/dataset.js';
import { imageBytes, type PixelFormat } from '../dataset/reading/pixelFormat.js';
import type { DecoderOptions } from '../images/decoding/decoder.js';
import { limiter, settleAll } from '../images/limiter.js';
import { decodedPixels, type PixelSource } from '../images/pixelSource.js';
import { createQuarantine } from '../images/storage/quarantine.js';
import {
  cachePath,
  fingerprintBits,
  manifestFor,
  manifestMatches,
  type RowRecord,
  readRecord,
  recordBytes,
  rowState,
  writeManifest,
  writeRecord,
} from './cacheFiles.js';

export interface PrepareOptions extends DecoderOptions {
  readonly format: PixelFormat;
  /** Folder that holds all caches. */
  readonly folder: string;
  readonly strict?: boolean;
  /** Read every prepared image again and compare its checksum. */
  readonly check?: boolean;
  /** Ranks that share the work if they see the same folder. */
  readonly ranks?: Ranks | undefined;
  readonly signal?: AbortSignal;
  readonly onEvent?: RunEventListener;
}

/** The combined result of all ranks that see the same folder. */
export interface PrepareResult {
  readonly path: string;
  readonly rows: number;
  /** Images that this call decoded or tried to decode; the others were already in the cache. */
  readonly decoded: number;
  readonly bytes: number;
  readonly quarantined: readonly Quarantined[];
}

/**
 * Decodes a dataset once into a packed cache of uint8 images. After a kill, it resumes where it stopped. On a
 * finished cache, it decodes only what has changed.
 *
 * @example
 * await prepareCache(dataset, { format: { width: 224, height: 224, channels: 3 }, folder: '.anyclass/cache' })
 */
export async function prepareCache(dataset: Dataset, options: PrepareOptions): Promise<PrepareResult> {
  const { format, signal, ranks } = options;
  const manifest = manifestFor(dataset, format);
  const path = cachePath(options.folder, manifest);
  await mkdir(path, { recursive: true });
  const team = ranks && (await teamOfFolder(ranks, path));
  const isFirst = team?.isFirst ?? true;
  using _lock = isFirst ? await lockCache(path, options) : undefined;
  if (isFirst && !(await manifestMatches(path, manifest))) writeManifest(path, manifest);
  await ranks?.group.barrier().finished();
  const files: FileHandle[] = [];
  const originals = decodedPixels(dataset.images, format, options);
  try {
    const images = await openForUpdate(join(path, 'images.bin'), manifest.rows * imageBytes(format), files);
    const recordFile = await openForUpdate(join(path, 'rows.bin'), manifest.rows * recordBytes, files);
    const records = Buffer.alloc(manifest.rows * recordBytes);
    await recordFile.read(records, 0, records.length, 0);

    const limited = limiter(2 * (options.processes || ownThreads()));
    const quarantine = createQuarantine(dataset.names, { strict: options.strict ?? false });
    const stride = imageBytes(format);
    const chunkRows = Math.max(16, Math.min(512, Math.floor((32 * 1024 * 1024) / stride)));
    const chunk = Buffer.alloc(chunkRows * stride);
    const report = (done: number) =>
      options.onEvent?.({
        type: 'progress',
        task: `preparing ${dataset.name}`,
        done: Math.min(manifest.rows, done * (team?.worldSize ?? 1)),
        total: manifest.rows,
        unit: 'images',
      });
    let decoded = 0;
    const share = shareOf(manifest.rows, team);
    const pace = await keptPace(ranks, Math.ceil((share.end - share.start) / chunkRows));
    report(0);
    for (let { start } = share; start < share.end; start += chunkRows) {
      signal?.throwIfAborted();
      const end = Math.min(start + chunkRows, share.end);
      const stored = chunk.subarray(0, (end - start) * stride);
      if (options.check) await images.read(stored, 0, stored.length, start * stride);
      const changed = await settleAll(
        Array.from({ length: end - start }, (_, i) =>
          limited(async () => {
            const row = start + i;
            const before = readRecord(records, row);
            const pixels = stored.subarray(i * stride, (i + 1) * stride);
            const record = await update(dataset, originals, row, before, pixels, options, quarantine.add);
            if (record === before) return undefined;
            if (record.state === rowState.ready) await images.write(pixels, 0, stride, row * stride);
            return { row, record };
          }),
        ),
      );
      const news = changed.filter((entry) => entry !== undefined);
      if (news.length > 0) {
        await images.datasync(); // pixels first, then the records that mark them as ready
        for (const { row, record } of news) writeRecord(records, row, record);
        await recordFile.write(
          records,
          start * recordBytes,
          (end - start) * recordBytes,
          start * recordBytes,
        );
        await recordFile.datasync();
        decoded += news.length;
      }
      report(end - share.start);
      await pace.next();
    }
    await pace.rest();
    const own: PreparedShare = { decoded, quarantined: quarantine.list() };
    const shares = ranks && team ? await sharesOfTeam(ranks, team, own) : [own];
    const quarantined = shares.flatMap((each) => each.quarantined);
    if (isFirst) {
      writeWhole(
        join(path, 'failed.jsonl'),
        quarantined.map((failure) => `${JSON.stringify(failure)}\n`),
      );
    }
    return {
      path,
      rows: manifest.rows,
      decoded: shares.reduce((sum, each) => sum + each.decoded, 0),
      bytes: manifest.rows * stride,
      quarantined,
    };
  } catch (error) {
    // An error on an open file does not name it.
    throw namedError(path, error);
  } finally {
    await originals.close();
    await Promise.all(files.map((file) => file.close()));
  }
}

type PreparedShare = Pick<PrepareResult, 'decoded' | 'quarantined'>;

/** The shares of all ranks of a team. Once this resolves, all of them have finished. */
async function sharesOfTeam(
  ranks: Ranks,
  { members }: FolderTeam,
  own: PreparedShare,
): Promise<PreparedShare[]> {
  const all = await gatherLists(ranks, [own]);
  return members.flatMap((rank) => all[rank] ?? []);
}

/**
 * The up-to-date record of a row: the old one if nothing changed, otherwise a new one,
 * with the pixels decoded.
 */
async function update(
  dataset: Dataset,
  originals: PixelSource,
  row: number,
  before: RowRecord,
  pixels: Buffer,
  { check, signal }: PrepareOptions,
  quarantine: (row: number, error: unknown) => void,
): Promise<RowRecord> {
  signal?.throwIfAborted();
  let fingerprint = 0n;
  try {
    fingerprint = fingerprintBits(await dataset.images.fingerprint(row, { wait: true }));
    const same = before.state === rowState.ready && before.fingerprint === fingerprint;
    if (same && !(check && crc32(pixels) !== before.crc)) return before;
    await originals.readInto(row, pixels, 0);
    return { state: rowState.ready, crc: crc32(pixels), fingerprint };
  } catch (error) {
    quarantine(row, error);
    const failed = before.state === rowState.failed && before.fingerprint === fingerprint;
    return failed ? before : { state: rowState.failed, crc: 0, fingerprint };
  }
}

async function openForUpdate(path: string, size: number, files: FileHandle[]): Promise<FileHandle> {
  const file = await open(path, 'a').then(async (created) => {
    await created.close();
    return open(path, 'r+');
  });
  files.push(file);
  await file.truncate(size);
  return file;
}

/**
 * Lets runs that start together share one preparation: the first decodes, the others
 * wait and find a full cache.
 */
function lockCache(path: string, { signal, onEvent }: PrepareOptions): Promise<Disposable> {
  return takeSharedLock(join(path, 'prepare.lock'), {
    pause: 200,
    signal,
    onWait: (holder) => {
      const who = holder ? `process ${holder.pid} on ${holder.host}` : 'another process';
      onEvent?.({ type: 'note', text: `waiting for ${who}, which is preparing ${path}` });
    },
  });
}
