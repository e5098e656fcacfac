import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { openParquet } from './parquetFile.js';

const fixture = resolve(import.meta.dirname, '../../../../test/fixtures/data/encodings.parquet');

/** What bench/fixtures/data/make_parquet_encodings.py writes into a row. */
function expected(i: number) {
  return {
    name: `row-${String(i).padStart(3, '0')}`,
    word: i % 7 === 0 ? null : ['a', '', 'ü'][i % 3],
    suffix: i % 5 === 0 ? null : 'x'.repeat(i % 9),
    count: i % 11 === 0 ? null : i * i - 40,
    large: BigInt(i) * 10n ** 10n,
    half: i / 2,
    flag: i % 4 === 0 ? null : i % 3 === 0,
    image:
      i % 13 === 0
        ? undefined
        : { bytes: new Uint8Array(i % 6).fill(i), path: i % 5 === 0 ? null : `${i}.png` },
    labels: i % 6 === 0 ? undefined : Array.from({ length: i % 4 }, (_, j) => ['cat', 'dog'][j % 2]),
    vector: [i, i + 0.25, i + 0.5],
  };
}

test('values in every encoding, lists and structs with empty cells are read as pyarrow wrote them', async () => {
  const file = await openParquet(fixture);
  try {
    const columns = Object.keys(expected(0));
    const found: Record<string, unknown>[] = [];
    for (let group = 0; group + 1 < file.groupStarts.length; group++) {
      for await (const rows of file.readGroup(group, columns)) found.push(...rows);
    }
    expect(file.groupStarts).toEqual([0, 200, 300]);
    expect(found).toEqual(found.map((_, i) => expected(i)));
  } finally {
    await file.close();
  }
});

test('only the public interface of hyparquet is used, so that any update of it can be installed', () => {
  const files = readdirSync(import.meta.dirname).filter((name) => name !== 'parquetFile.test.ts');
  const imports = files.flatMap((name) =>
    Array.from(readFileSync(join(import.meta.dirname, name), 'utf8').matchAll(/ from '(hyparquet[^']*)'/g)),
  );
  expect(new Set(imports.map(([, module]) => module))).toEqual(new Set(['hyparquet', 'hyparquet-writer']));
});
