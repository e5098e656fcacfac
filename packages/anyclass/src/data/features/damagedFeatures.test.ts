import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { expect, test } from 'vitest';
import { testFolder } from '../../../../files/test/testFolder.js';
import { damaged } from '../../../test/damage.js';
import { DataError } from '../../errors/dataError.js';
import { closeDataset, type Dataset } from '../dataset/dataset.js';
import { type OpenOptions, openDataset } from '../openDataset.js';
import { npyHeader } from './npy.js';
import { safetensorsHeader } from './safetensorsMatrix.js';

const folder = testFolder();

const rows = Array.from({ length: 30 }, (_, i) => [i / 8 - 1, i % 5 === 0 ? Number.NaN : 1000 + i, i * i]);
const cells = (row: readonly number[], missing: string) =>
  row.map((value) => (Number.isNaN(value) ? missing : String(value)));
const classes = (i: number) => [i % 2, i % 3 === 0 ? 1 : 0];

interface Opened {
  readonly names: readonly string[];
  readonly features: readonly string[];
  readonly values: readonly (readonly number[])[];
}

/**
 * Opens and reads 300 damaged copies of a file. Each is either passed to `look` or refused with a message
 * that names the file. Returns how many were refused.
 */
async function refusals(
  name: string,
  whole: Buffer,
  options: OpenOptions,
  look: (opened: Opened, bytes: Buffer) => void,
): Promise<number> {
  let refused = 0;
  for (let i = 0; i < 300; i++) {
    const bytes = damaged(whole, i);
    writeFileSync(join(folder, name), bytes);
    try {
      const dataset = await openDataset(join(folder, name), options);
      const opened = await readAll(dataset).finally(() => closeDataset(dataset));
      look(opened, bytes);
    } catch (error) {
      if (!(error instanceof DataError)) throw error;
      expect(error.message).toContain(name);
      refused += 1;
    }
  }
  return refused;
}

async function readAll({ names, features }: Dataset): Promise<Opened> {
  const width = features!.names.length;
  const all = Int32Array.from({ length: names.length }, (_, row) => row);
  const numbers = new Float32Array(names.length * width);
  await features!.read(all, numbers);
  return {
    names: Array.from(all, (row) => names.at(row)),
    features: features!.names,
    values: Array.from(all, (row) => [...numbers.slice(row * width, (row + 1) * width)]),
  };
}

test('300 damaged tables of features: a row has the numbers of its line, or the file is refused', async () => {
  const lines = rows.map((row, i) => [`r${i}`, ...cells(row, ''), ...classes(i)].join());
  const whole = Buffer.from(['id,width,height,depth,crack,root', ...lines].join('\n'));
  const featureColumns = ['width', 'height', 'depth'];
  const refused = await refusals('table.csv', whole, { featureColumns }, ({ values }, bytes) => {
    const text = bytes.toString();
    const [header = '', ...own] = text.split(/\r?\n/);
    const columns = header.split(',');
    // A quote changes the meaning of everything after it.
    if (text.includes('"')) return;
    const numbers = own
      .filter((line) => line !== '')
      .map((line) => {
        const parts = line.split(',');
        return featureColumns.map((name) => plain(parts[columns.indexOf(name)]));
      });
    expect(values).toEqual(numbers);
  });
  expect(refused).toBeGreaterThan(100);
});

test('300 damaged ARFF files: a row has the numbers of its line, or the file is refused', async () => {
  const header = [
    '@relation pipes',
    ...['width', 'height', 'depth'].map((name) => `@attribute ${name} numeric`),
    ...['crack', 'root'].map((name) => `@attribute ${name} {0,1}`),
    '@data',
  ];
  const lines = rows.map((row, i) => {
    if (i % 3 > 0) return [...cells(row, '?'), ...classes(i)].join();
    const given = [...cells(row, '?'), ...classes(i).map(String)].map((cell, k) => `${k} ${cell}`);
    return `{${given.filter((entry) => !/^\d 0$/.test(entry)).join(', ')}}`;
  });
  const whole = Buffer.from([...header, ...lines].join('\n'));
  const refused = await refusals('table.arff', whole, {}, ({ features, values }, bytes) => {
    const text = bytes.toString();
    if (/["']/.test(text) || features.length !== 3) return;
    const own = text
      .split(/@data/i)
      .at(-1)!
      .split(/\r?\n/)
      .filter((line) => line.trim() !== '' && !line.trim().startsWith('%'));
    expect(values).toEqual(own.map(plainArff));
  });
  expect(refused).toBeGreaterThan(100);
});

test.each([
  ['matrix.npy', npyHeader(30, 3)],
  ['matrix.safetensors', safetensorsHeader(30, 3)],
])(
  '300 damaged copies of %s: the numbers are those in the file, row by row, or it is refused',
  async (name, header) => {
    writeFileSync(
      join(folder, 'matrix.csv'),
      ['id,crack', ...rows.map((_, i) => `r${i},${i % 2}`)].join('\n'),
    );
    const whole = Buffer.concat([header, Buffer.from(Float32Array.from(rows.flat()).buffer)]);
    const refused = await refusals(name, whole, {}, ({ values }, bytes) => {
      // The number of columns and the bytes per number stay the same, however the header was damaged.
      expect(values.map(({ length }) => length)).toEqual(rows.map(() => 3));
      expect(bytes.length).toBe(whole.length);
      const isInteger = /'<i4'|"I32"/.test(bytes.subarray(0, header.length).toString('latin1'));
      values.flat().forEach((value, i) => {
        const at = header.length + 4 * i;
        expect(value).toBe(Math.fround(isInteger ? bytes.readInt32LE(at) : bytes.readFloatLE(at)));
      });
    });
    expect(refused).toBeGreaterThan(150);
  },
);

test('300 damaged Parquet files of features: truncated files are refused, and the rest have all rows and no infinite numbers', async () => {
  const whole = Buffer.from(
    parquetWriteBuffer({
      columnData: [
        { name: 'id', data: rows.map((_, i) => `r${i}`), type: 'STRING' },
        { name: 'feature_0', data: rows.map((row) => row[0]!), type: 'FLOAT' },
        {
          name: 'feature_1',
          data: rows.map(([, value]) => (Number.isNaN(value) ? null : value)),
          type: 'DOUBLE',
        },
        { name: 'crack', data: rows.map((_, i) => i % 2), type: 'INT32' },
      ],
    }),
  );
  const refused = await refusals('table.parquet', whole, {}, ({ names, values }, bytes) => {
    expect(bytes.length).toBeGreaterThanOrEqual(whole.length - 100);
    expect(names).toHaveLength(30);
    for (const value of values.flat()) expect(Math.abs(value)).not.toBe(Number.POSITIVE_INFINITY);
  });
  expect(refused).toBeGreaterThan(150);
});

function plain(text = ''): number {
  const isMissing = /^\s*(nan|na|null|none|\?)?\s*$/i.test(text);
  return isMissing ? Number.NaN : Math.fround(Number(text));
}

function plainArff(line: string): number[] {
  if (!line.trim().startsWith('{')) return line.split(',').slice(0, 3).map(plain);
  const entries = line
    .trim()
    .slice(1, -1)
    .split(',')
    .map((entry) => entry.trim().split(/\s+/));
  const given = new Map(entries.map(([index, text]) => [Number(index), text]));
  return [0, 1, 2].map((k) => plain(given.get(k) ?? '0'));
}
