import { readFileSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { parquetMetadata } from 'hyparquet';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { expect, test } from 'vitest';
import { testFolder } from '../../../../../files/test/testFolder.js';
import { damaged } from '../../../../test/damage.js';
import { DataError } from '../../../errors/dataError.js';
import { closeDataset } from '../../dataset/dataset.js';
import { openDataset } from '../../openDataset.js';
import { openParquet } from './parquetFile.js';

const fixtures = resolve(import.meta.dirname, '../../../../test/fixtures/data');
const folder = testFolder();

const rows = Array.from({ length: 40 }, (_, i) => i);
const withEmptyCells = Buffer.from(
  parquetWriteBuffer({
    columnData: [
      { name: 'id', data: rows.map((i) => `r${i}`), type: 'STRING' },
      { name: 'feature_0', data: rows.map((i) => (i % 7 === 0 ? null : i / 8)), type: 'FLOAT' },
      { name: 'crack', data: rows.map((i) => (i % 5 === 0 ? null : i % 2)), type: 'INT32' },
      { name: 'root', data: rows.map((i) => (i % 20 < 10 ? null : i % 3 === 0)), type: 'BOOLEAN' },
    ],
  }),
);

/** The name and labels of every row. */
async function labelsIn(path: string): Promise<string[]> {
  const dataset = await openDataset(path);
  const { names, classes, labels } = dataset;
  const found = Array.from({ length: names.length }, (_, row) =>
    [names.at(row), ...classes.map((name, j) => `${name} ${labels.at(row, j)}`)].join(),
  );
  await closeDataset(dataset);
  return found;
}

/**
 * Reads damaged copies of a file; each is passed to `look`, or refused by name, within a second of CPU time.
 */
async function refusals(name: string, copies: Iterable<Buffer>, look: (labels: string[]) => void) {
  let refused = 0;
  for (const bytes of copies) {
    const path = join(folder, name);
    writeFileSync(path, bytes);
    const before = process.cpuUsage();
    const labels = await labelsIn(path).catch((error: unknown) => error);
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1e6).toBeLessThan(1);
    if (Array.isArray(labels)) look(labels);
    else {
      expect(labels).toBeInstanceOf(DataError);
      expect(String(labels)).toContain(basename(name));
      refused += 1;
    }
  }
  return refused;
}

function* damagedCopies(whole: Buffer, count: number) {
  for (let i = 0; i < count; i++) yield damaged(whole, i);
}

/** Copies with one bit flipped, at every 13th byte. */
function* flippedCopies(whole: Buffer) {
  for (let at = 0; at < whole.length; at += 13) {
    const copy = Buffer.from(whole);
    copy[at] = copy[at]! ^ (1 << (at % 8));
    yield copy;
  }
}

test('a file with page checksums: 160 damaged copies, and copies with one flipped bit, are read correctly or refused', async () => {
  const path = join(fixtures, 'checksums.parquet');
  const whole = readFileSync(path);
  const labels = await labelsIn(path);
  expect(labels.slice(0, 3)).toEqual(['r0,crack NaN,root 1', 'r1,crack 1,root 0', 'r2,crack 0,root 0']);
  const isSame = (found: string[]) => expect(found).toEqual(labels);
  expect(await refusals('cells.parquet', damagedCopies(whole, 160), isSame)).toBeGreaterThan(100);
  expect(await refusals('cells.parquet', flippedCopies(whole), isSame)).toBeGreaterThan(whole.length / 39);
}, 120_000);

test('a file with empty cells and no checksums: 160 damaged copies, and copies with one flipped bit, keep all rows or are refused', async () => {
  const path = join(folder, 'whole.parquet');
  writeFileSync(path, withEmptyCells);
  expect((await labelsIn(path))[10]).toBe('r10,crack NaN,root 0');
  const hasAll = (found: string[]) => expect(found).toHaveLength(40);
  expect(await refusals('cells.parquet', damagedCopies(withEmptyCells, 160), hasAll)).toBeGreaterThan(80);
  expect(await refusals('cells.parquet', flippedCopies(withEmptyCells), hasAll)).toBeGreaterThan(20);
}, 120_000);

test('lists, structs and delta encodings: 80 damaged copies, and copies with one flipped bit, keep all rows or are refused within a second', async () => {
  const whole = readFileSync(join(fixtures, 'encodings.parquet'));
  const columns = ['name', 'word', 'suffix', 'count', 'large', 'half', 'flag', 'image', 'labels', 'vector'];
  const path = join(folder, 'nested.parquet');
  let refused = 0;
  let copies = 0;
  for (const bytes of [...damagedCopies(whole, 80), ...flippedCopies(whole)]) {
    writeFileSync(path, bytes);
    copies += 1;
    const before = process.cpuUsage();
    const found = await rowsIn(path, columns).catch((error: unknown) => error);
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1e6).toBeLessThan(1);
    if (found instanceof DataError) refused += 1;
    else expect(found).toBe(300);
  }
  expect(refused).toBeGreaterThan(copies / 4);
}, 240_000);

async function rowsIn(path: string, columns: readonly string[]): Promise<number> {
  const file = await openParquet(path);
  try {
    let rows = 0;
    for (let group = 0; group + 1 < file.groupStarts.length; group++) {
      for await (const block of file.readGroup(group, columns)) rows += block.length;
    }
    return rows;
  } finally {
    await file.close();
  }
}

test('a run of two billion empty cells, which would keep hyparquet busy for minutes, is refused', async () => {
  // The levels of `root`: ten zeros, ten ones, and again, each as a byte with twice the length
  // and a byte with the value.
  const runs = Buffer.of(20, 0, 20, 1, 20, 0, 20, 1);
  const bytes = Buffer.from(withEmptyCells);
  // A length continues in the next byte while the highest bit is set.
  bytes.set([0xfe, 0xff, 0xff, 0xff, 0x0f], bytes.indexOf(runs));
  const path = join(folder, 'run.parquet');
  writeFileSync(path, bytes);
  await expect(labelsIn(path)).rejects.toThrow(
    "run.parquet, rows 0 to 39: column 'root': a run has 2147483647 values, but 40 remain",
  );
});

test('a file whose columns overlap is refused', async () => {
  const { columns } = parquetMetadata(new Uint8Array(withEmptyCells).buffer).row_groups[0]!;
  const [crack, root] = columns.slice(2).map(({ meta_data }) => zigzag(Number(meta_data!.data_page_offset)));
  const bytes = Buffer.from(withEmptyCells);
  const at = bytes.lastIndexOf(root!);
  expect([at, crack!.length]).toEqual([expect.any(Number), root!.length]);
  bytes.set(crack!, at);
  const path = join(folder, 'twice.parquet');
  writeFileSync(path, bytes);
  await expect(labelsIn(path)).rejects.toThrow(
    'twice.parquet: cannot be read as Parquet: its columns overlap',
  );
});

test('a page that claims more bytes than its own can stand for, and a footer longer than the file, are refused', async () => {
  const texts = Array.from({ length: 2000 }, () => 'crack');
  const whole = Buffer.from(
    parquetWriteBuffer({
      columnData: [{ name: 'labels', data: texts, type: 'STRING', encoding: 'PLAIN' }],
      codec: 'SNAPPY',
    }),
  );
  const path = join(folder, 'claims.parquet');
  const claimed = Buffer.from(whole);
  // The header of the first page: 0x15 and its type, 0x15 and its size in seven bits a byte.
  const at = 4 + 3;
  expect([claimed[at - 1], claimed[at]! & 0x80, claimed[at + 1]! & 0x80, claimed[at + 2]! & 0x80]).toEqual([
    0x15, 0x80, 0x80, 0,
  ]);
  claimed.set([0xfe, 0xff, 0x7f], at);
  writeFileSync(path, claimed);
  await expect(rowsIn(path, ['labels'])).rejects.toThrow(
    /a page of 1048\d+ bytes, which do not fit into \d+ of SNAPPY/,
  );
  const long = Buffer.from(whole);
  long.writeUInt32LE(0x7fffffff, long.length - 8);
  writeFileSync(path, long);
  await expect(rowsIn(path, ['labels'])).rejects.toThrow('its footer claims 2147483647 bytes');
});

/** How a Parquet footer encodes numbers between 64 and 8191. */
function zigzag(value: number): Buffer {
  return Buffer.of(((2 * value) & 0x7f) | 0x80, (2 * value) >> 7);
}
