import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { testFolder } from '../../../../files/test/testFolder.js';
import { closeDataset, type Dataset } from '../dataset/dataset.js';
import { type OpenOptions, openDataset } from '../openDataset.js';
import { npyHeader } from './npy.js';
import { safetensorsHeader } from './safetensorsMatrix.js';

const folder = testFolder();

function written(name: string, content: string | Uint8Array): string {
  writeFileSync(join(folder, name), content);
  return join(folder, name);
}

async function vectors({ features, names }: Dataset): Promise<number[][]> {
  const width = features!.names.length;
  const values = new Float32Array(names.length * width);
  await features!.read(
    Int32Array.from({ length: names.length }, (_, row) => row),
    values,
  );
  return Array.from({ length: names.length }, (_, row) => [...values.slice(row * width, (row + 1) * width)]);
}

async function opened(spec: string, options: OpenOptions = {}) {
  const dataset = await openDataset(spec, options);
  const { classes, labels, names, features } = dataset;
  try {
    return {
      classes,
      features: features?.names,
      rows: await vectors(dataset),
      names: Array.from({ length: names.length }, (_, row) => names.at(row)),
      labels: Array.from({ length: names.length }, (_, row) => classes.map((_, j) => labels.at(row, j))),
    };
  } finally {
    await closeDataset(dataset);
  }
}

const table = 'id,width,height,crack,root\na,1,2,1,0\nb,3.5,,0,0\nc,-1e3,4,0,1\n';
const expected = {
  classes: ['crack', 'root'],
  features: ['width', 'height'],
  rows: [
    [1, 2],
    [3.5, Number.NaN],
    [-1000, 4],
  ],
  names: ['a', 'b', 'c'],
  labels: [
    [1, 0],
    [0, 0],
    [0, 1],
  ],
};

test('feature columns can be chosen by a list, by a pattern, or by naming the classes', async () => {
  const path = written('named.csv', table);
  expect(await opened(path, { featureColumns: ['width', 'height'] })).toEqual(expected);
  expect(await opened(path, { featureColumns: ['*h', 'he*'] })).toEqual(expected);
  expect(await opened(path, { featureColumns: ['*'], classes: ['crack', 'root'] })).toEqual(expected);
});

test('columns feature_0, feature_1… are features by default, and rows without names are numbered', async () => {
  const path = written('numbered.csv', 'feature_0,feature_1,crack\n1,2,1\n3,4,0\n');
  expect(await opened(path)).toMatchObject({
    names: ['numbered.csv#0', 'numbered.csv#1'],
    features: ['feature_0', 'feature_1'],
    rows: [
      [1, 2],
      [3, 4],
    ],
  });
});

test('files of one dataset may have the same features in a different order, but not different features', async () => {
  const train = written('train.csv', table);
  const test = written(
    'test.csv',
    'height,id,width,root,crack\n8,x,7,1,0\n'.replace('root,crack', 'crack,root'),
  );
  const both = await opened(`${train},${test}`, { featureColumns: ['width', 'height'] });
  expect(both.rows.at(-1)).toEqual([7, 8]);
  const other = written('val.csv', 'id,width,depth,crack,root\nx,7,8,1,0\n');
  await expect(opened(`${train},${other}`, { featureColumns: ['width', '*t*'] })).rejects.toThrow(/val\.csv/);
});

/** A header followed by a float32 matrix. */
function matrix(header: Buffer, rows: readonly (readonly number[])[]): Buffer {
  return Buffer.concat([header, Buffer.from(Float32Array.from(rows.flat()).buffer)]);
}

test('a .npy or .safetensors file has its labels next to it, row by row', async () => {
  written('pipes.csv', 'id,crack\na,1\nb,0\n');
  const rows = [
    [1, 2, 3],
    [4, Number.NaN, 6],
  ];
  for (const [name, header] of [
    ['pipes.npy', npyHeader(2, 3)],
    ['pipes.safetensors', safetensorsHeader(2, 3)],
  ] as const) {
    const path = written(name, matrix(header, rows));
    expect(await opened(path)).toEqual({
      classes: ['crack'],
      features: ['feature_0', 'feature_1', 'feature_2'],
      rows,
      names: ['a', 'b'],
      labels: [[1], [0]],
    });
    rmSync(path);
  }
});

test('data.features joins a matrix by row and a table by name', async () => {
  const labels = written('labels.csv', 'id,crack\nb,0\na,1\n');
  const byRow = written('matrix.npy', matrix(npyHeader(2, 1), [[5], [6]]));
  expect((await opened(labels, { featureFile: byRow })).rows).toEqual([[5], [6]]);
  const byName = written('vectors.csv', 'id,x\na,6\nb,5\nc,9\n');
  expect(await opened(labels, { featureFile: byName })).toMatchObject({ rows: [[5], [6]], features: ['x'] });
  const short = written('short.csv', 'id,x\na,6\n');
  await expect(opened(labels, { featureFile: short })).rejects.toThrow("short.csv: no features for 'b'");
});

test('a table of one class without names is read again by that class', async () => {
  const path = written('unnamed.csv', 'crack,feature_0\n1,5\n0,6\n');
  const alone = await opened(path);
  expect(alone).toMatchObject({ classes: ['crack'], names: ['unnamed.csv#0', 'unnamed.csv#1'] });
  expect(await opened(path, { keep: ['crack'], drop: [] })).toEqual(alone);
});

test('numbers of every NumPy type are read exactly', async () => {
  written('typed.csv', 'crack\n1\n0\n');
  for (const [descr, array] of [
    ['<f8', Float64Array.of(1.5, -2, 3, 4)],
    ['<i8', BigInt64Array.of(1n, -2n, 3n, 4n)],
    ['<i4', Int32Array.of(1, -2, 3, 4)],
    ['|u1', Uint8Array.of(1, 2, 3, 4)],
    ['<f2', Uint16Array.of(0x3e00, 0xc000, 0x4200, 0x4400)], // 1.5, -2, 3, 4
  ] as const) {
    const header = Buffer.from(npyHeader(2, 2).toString('latin1').replace('<f4', descr), 'latin1');
    const path = written('typed.npy', Buffer.concat([header, Buffer.from(array.buffer)]));
    const first = descr.includes('f') ? 1.5 : 1;
    const second = descr === '|u1' ? 2 : -2;
    expect((await opened(path)).rows).toEqual([
      [first, second],
      [3, 4],
    ]);
  }
});

test.each([
  ['cell.csv', 'id,x,crack\na,red,1\n', {}, "cell.csv, line 2: feature 'x' is 'red'"],
  ['large.csv', 'id,x,crack\na,1e39,1\n', {}, 'line 2: feature .* single precision'],
  ['all.csv', 'id,x\na,1\n', { featureColumns: ['*'] }, 'all.csv: data.columns.features takes all columns'],
  ['none.csv', 'id,x,crack\na,1,1\n', { featureColumns: ['y'] }, "none.csv: no column 'y'"],
  ['twice.csv', 'id,x,crack\na,1,1\na,2,1\n', {}, "twice.csv, line 3: image 'a' is already in"],
] as const)('%s is refused with the place of the problem', async (name, content, options, message) => {
  const path = written(name, content);
  await expect(openDataset(path, { featureColumns: ['x'], ...options })).rejects.toThrow(
    new RegExp(message.replaceAll('(', '\\(')),
  );
});

test('files that do not fit their labels, or are not matrices, are refused by name', async () => {
  written('m.csv', 'crack\n1\n0\n');
  const refused = async (content: Buffer) =>
    opened(written('m.npy', content)).catch((error: Error) => error.message);
  expect(await refused(matrix(npyHeader(3, 1), [[1], [2], [3]]))).toMatch(
    /^m\.npy: has 3 rows, but m\.csv has 2/,
  );
  expect(await refused(matrix(npyHeader(2, 2), [[1, 2], [3]]))).toMatch(/^m\.npy: has 12 bytes/);
  expect(await refused(Buffer.from('hello'))).toMatch(/^m\.npy: is not a \.npy file/);
  expect(
    await refused(Buffer.from(npyHeader(2, 1).toString('latin1').replace('False', 'True '), 'latin1')),
  ).toMatch(/Fortran/);
  expect(await refused(matrix(npyHeader(2, 1), [[1], [Number.POSITIVE_INFINITY]]))).toMatch(
    /row 1: feature 0 is Infinity/,
  );
  rmSync(join(folder, 'm.csv'));
  expect(await refused(matrix(npyHeader(2, 1), [[1], [2]]))).toMatch(/put 'm\.csv' there/);
});

test('any numbers in a table are read exactly', async () => {
  const numbers = fc.array(fc.float({ noNaN: true, noDefaultInfinity: true }), {
    minLength: 3,
    maxLength: 3,
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(numbers, fc.boolean()), { minLength: 1, maxLength: 20 }),
      async (rows) => {
        const lines = rows.map(([values, label]) => [...values, Number(label)].join(','));
        const path = written('property.csv', ['feature_0,feature_1,feature_2,crack', ...lines].join('\n'));
        const dataset = await openDataset(path, { draw: { method: 'random' } }).catch(() => undefined);
        if (!dataset) return; // too few rows to split
        expect(await vectors(dataset)).toEqual(
          rows.map(([values]) => values.map((value) => Math.fround(value) + 0)),
        );
      },
    ),
    { numRuns: 50 },
  );
});
