import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DataError } from '../../../errors/dataError.js';
import type { ImageSource } from '../../dataset/imageSource.js';
import { fromStorage } from '../../images/storage/storage.js';
import type { ParquetFile } from '../../tables/parquet/parquetFile.js';

// Row groups are decoded whole, and a shuffled epoch returns to each of them often, so this much of
// encoded images is kept. A larger dataset should be prepared (one pass in order); otherwise, a row group
// is read for nearly every image.
const keptBytes = 1024 ** 3;

/**
 * Images in a column of Parquet files, as bytes or as Hugging Face's struct of `bytes` and `path`.
 *
 * @example
 * const images = parquetImages([await openParquet('part-0.parquet')], 'image');
 * (await images.read(3)).kind // 'encoded'
 */
export function parquetImages(files: readonly ParquetFile[], column: string): ImageSource {
  const groups = rowGroups(files);
  const kept = new Map<number, Promise<Record<string, unknown>[]>>();
  let bytes = 0;

  const groupRows = (g: number) => {
    const known = kept.get(g);
    if (known) {
      kept.delete(g); // and move it to the end: the first entry is the least recently used
      kept.set(g, known);
      return known;
    }
    const group = groups[g]!;
    const { file } = group;
    const rows = fromStorage(file.path, dirname(file.path), () =>
      allRows(file.readGroup(group.index, [column])),
    );
    kept.set(g, rows);
    bytes += group.bytes;
    // A group that cannot be read now may be readable later.
    rows.catch(() => {
      if (kept.delete(g)) bytes -= group.bytes;
    });
    for (const oldest of kept.keys()) {
      if (bytes <= keptBytes || kept.size <= 2) break;
      kept.delete(oldest);
      bytes -= groups[oldest]!.bytes;
    }
    return rows;
  };

  return {
    async read(row) {
      const g = groups.findLastIndex((group) => group.firstRow <= row);
      const rows = await groupRows(g);
      const encoded = encodedBytes(rows[row - groups[g]!.firstRow]?.[column]);
      if (encoded === undefined) throw new DataError(`row ${row}: no image bytes in column '${column}'`);
      return { kind: 'encoded', bytes: encoded };
    },
    async fingerprint(row) {
      const { file } = groups.findLast((group) => group.firstRow <= row)!;
      const { size, mtimeMs } = statSync(file.path);
      return `${size} ${mtimeMs} ${row}`;
    },
    async close() {
      await Promise.allSettled(kept.values());
      kept.clear();
      await Promise.all(files.map((file) => file.close()));
    },
  };
}

async function allRows(blocks: AsyncIterable<Record<string, unknown>[]>): Promise<Record<string, unknown>[]> {
  const all: Record<string, unknown>[] = [];
  for await (const rows of blocks) for (const row of rows) all.push(row);
  return all;
}

interface RowGroup {
  readonly file: ParquetFile;
  /** The index within the file. */
  readonly index: number;
  /** The dataset row of the group's first row. */
  readonly firstRow: number;
  readonly bytes: number;
}

function rowGroups(files: readonly ParquetFile[]): RowGroup[] {
  const groups: RowGroup[] = [];
  let firstRow = 0;
  for (const file of files) {
    file.metadata.row_groups.forEach((group, index) => {
      groups.push({ file, index, firstRow, bytes: Number(group.total_byte_size) });
      firstRow += Number(group.num_rows);
    });
  }
  return groups;
}

/** The image in a cell: bytes, or Hugging Face's struct of `bytes` and `path`. */
export function encodedBytes(value: unknown): Uint8Array | undefined {
  if (value instanceof Uint8Array) return value;
  if (typeof value !== 'object' || value === null || !('bytes' in value)) return undefined;
  return value.bytes instanceof Uint8Array ? value.bytes : undefined;
}
