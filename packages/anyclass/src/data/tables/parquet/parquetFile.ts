import { type FileHandle, open } from 'node:fs/promises';
import { basename } from 'node:path';
import { errorCode } from '@anyclass/files';
import { type AsyncBuffer, type Compressors, type FileMetaData, parquetMetadataAsync } from 'hyparquet';
import { DataError } from '../../../errors/dataError.js';
import { reasonOf } from '../../../errors/reasonOf.js';
import { shownPath } from '../../../files/shownPath.js';
import { StorageError } from '../../images/storage/storage.js';
import { checkFooter } from './footer.js';
import { readRowGroup } from './rowGroup.js';

/** An open Parquet file. */
export interface ParquetFile {
  readonly path: string;
  readonly rows: number;
  readonly metadata: FileMetaData;
  /** The first row of each row group, followed by the number of rows. */
  readonly groupStarts: readonly number[];
  /** Reads some columns of a row group, as one object per row, in blocks. */
  readGroup(group: number, columns: readonly string[]): AsyncIterable<Record<string, unknown>[]>;
  close(): Promise<void>;
}

/**
 * Opens a Parquet file and checks its footer.
 *
 * @example
 * const file = await openParquet('part-0.parquet');
 * for await (const rows of file.readGroup(0, ['labels'])) rows // [{ labels: 'person' }, { labels: 'cat,dog' }]
 */
export async function openParquet(path: string): Promise<ParquetFile> {
  const handle = await open(path);
  try {
    const file = await bufferOf(handle, path);
    // Without `geoparquet: false`, hyparquet's search for maps loops forever if a number
    // of children is negative.
    await checkFooterLength(file);
    const metadata = await parquetMetadataAsync(file, { geoparquet: false });
    checkFooter(metadata, file.byteLength);
    const groupStarts = [0];
    for (const group of metadata.row_groups) groupStarts.push(groupStarts.at(-1)! + Number(group.num_rows));
    return {
      path,
      metadata,
      rows: groupStarts.at(-1)!,
      groupStarts,
      async *readGroup(group, columns) {
        try {
          yield* readRowGroup(file, metadata, group, columns, await codecs(metadata));
        } catch (error) {
          // Errors of the system or the storage are handled by the caller, who may wait.
          if (errorCode(error) !== undefined || error instanceof StorageError) throw error;
          const rows = `rows ${groupStarts[group]} to ${groupStarts[group + 1]! - 1}`;
          throw new DataError(`${basename(path)}, ${rows}: ${damageOf(error)}`);
        }
      },
      close: () => handle.close(),
    };
  } catch (error) {
    await handle.close();
    throw new DataError(`${basename(path)}: cannot be read as Parquet: ${damageOf(error)}`);
  }
}

/** The most bytes of a footer: some hundred for each column of each row group. */
const longestFooter = 1 << 28;

/** The last eight bytes are the footer's length and a mark. */
async function checkFooterLength(file: AsyncBuffer): Promise<void> {
  if (file.byteLength < 12) return; // which hyparquet says better
  const end = new DataView(await file.slice(file.byteLength - 8));
  const length = end.getUint32(0, true);
  if (length > Math.min(longestFooter, file.byteLength - 8))
    throw new DataError(`its footer claims ${length} bytes; expected at most ${longestFooter}`);
}

/**
 * Decompressors, loaded only if a file needs them: they are WebAssembly, which may not fit on a machine with
 * little memory. Snappy, the most common one, is built into hyparquet.
 */
async function codecs({ row_groups }: FileMetaData): Promise<Compressors | undefined> {
  const used = new Set(row_groups.flatMap(({ columns }) => columns.map((column) => column.meta_data?.codec)));
  used.delete('UNCOMPRESSED');
  used.delete('SNAPPY');
  used.delete(undefined);
  if (used.size === 0) return undefined;
  try {
    const { compressors } = await import('hyparquet-compressors');
    return compressors;
  } catch (error) {
    throw new DataError(
      `needs a decoder for ${[...used].join(', ')}, which could not be loaded: ${reasonOf(error)}`,
    );
  }
}

/** hyparquet's own message, if it has one; an internal error on a damaged file would tell a user nothing. */
function damageOf(error: unknown): string {
  const isStumble = error instanceof TypeError || /\bundefined\b/.test(reasonOf(error));
  return isStumble ? 'the file is damaged' : reasonOf(error);
}

async function bufferOf(handle: FileHandle, path: string): Promise<AsyncBuffer> {
  const { size } = await handle.stat();
  return {
    byteLength: size,
    async slice(start, end = size) {
      if (start < 0 || end > size || start > end) throw new RangeError(`bytes ${start} to ${end} of ${size}`);
      const bytes = new Uint8Array(end - start);
      let done = 0;
      while (done < bytes.length) {
        const { bytesRead } = await handle.read(bytes, done, bytes.length - done, start + done);
        if (bytesRead === 0)
          throw new StorageError(
            `${shownPath(path)} became shorter while being read, at byte ${start + done} of ${size}; restore it, then start again`,
          );
        done += bytesRead;
      }
      return bytes.buffer;
    },
  };
}
