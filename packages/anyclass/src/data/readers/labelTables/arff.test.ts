import { existsSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { testFolder } from '../../../../../files/test/testFolder.js';
import { openDataset } from '../../openDataset.js';
import { readArff } from '../../tables/arff.js';

const shared = resolve(import.meta.dirname, '../../../../../../../shared/data/mulan');
const folder = testFolder();

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

async function rowsOf(text: string): Promise<{ names: string[]; rows: (readonly string[])[] }> {
  const rows: (readonly string[])[] = [];
  let names: string[] = [];
  await readArff(file('any.arff', text), ({ attributes }) => {
    names = attributes.map(({ name }) => name);
    return (cells) => rows.push(cells);
  });
  return { names, rows };
}

test('quotes, comments, spaces, missing values, and sparse rows are read', async () => {
  const text = [
    "@RELATION 'a b'",
    '% a comment',
    "@attribute 'two words' NUMERIC",
    '@attribute note string',
    "@attribute color {red, 'dark blue', \"it's\"}",
    '@attribute when date "yyyy-MM-dd"',
    '@DATA',
    "1.5, 'a, b', 'dark blue', \"2020-01-02\"",
    "?,'it\\'s',\"it's\",?",
    "{0 -1e3, 2 'dark blue'}",
    '{ }',
  ].join('\r\n');
  expect(await rowsOf(text)).toEqual({
    names: ['two words', 'note', 'color', 'when'],
    rows: [
      ['1.5', 'a, b', 'dark blue', '2020-01-02'],
      ['', "it's", "it's", ''],
      ['-1e3', '0', 'dark blue', '0'],
      ['0', '0', 'red', '0'],
    ],
  });
});

test('any texts and numbers written as ARFF are read back, dense and sparse', async () => {
  const text = fc.string({ unit: 'grapheme' }).filter((value) => !/[\r\n\0]/.test(value));
  const row = fc.tuple(
    text,
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.constantFrom('no', 'so so'),
  );
  const quoted = (value: string) => `'${value.replaceAll(/[\\']/g, '\\$&')}'`;
  await fc.assert(
    fc.asyncProperty(fc.array(row, { minLength: 1 }), fc.boolean(), async (rows, isSparse) => {
      const header =
        "@relation r\n@attribute a string\n@attribute b numeric\n@attribute c {no,'so so'}\n@data\n";
      const lines = rows.map(([a, b, c]) => {
        const cells = [quoted(a), String(b), quoted(c)];
        return isSparse ? `{${cells.map((cell, i) => `${i} ${cell}`).join(',')}}` : cells.join(',');
      });
      expect((await rowsOf(header + lines.join('\n'))).rows).toEqual(
        rows.map(([a, b, c]) => [a, String(b), c]),
      );
    }),
    { examples: [[[['\u2028', 0, 'no']], true]] },
  );
});

test("MEKA's -C counts labels from the front or the back; without it, {0,1} attributes are labels", async () => {
  const data =
    '@attribute a {0,1}\n@attribute b {0,1}\n@attribute x numeric\n@attribute c {0,1}\n@data\n1,0,5,0\n0,0,5,1\n0,0,5,0\n';
  const classes = async (relation: string) =>
    (await openDataset(file('meka.arff', `@relation ${relation}\n${data}`))).classes;
  expect(await classes("'Music: -C 2'")).toEqual(['a', 'b']);
  expect(await classes("'Music: -C -1'")).toEqual(['c']);
  expect(await classes('Music')).toEqual(['a', 'b', 'c']);
});

test('a string attribute called image names images', async () => {
  const text =
    '@relation r\n@attribute image string\n@attribute cat {0,1}\n@data\na.png,1\nb.png,0\nc.png,?\n';
  const dataset = await openDataset(file('images.arff', text));
  expect(dataset.images.path?.(1)).toBe(join(folder, 'b.png'));
  expect([0, 1, 2].map((row) => dataset.labels.presence(row))).toEqual(['positive', 'negative', 'undecided']);
});

test.each<[string, RegExp]>([
  ['@relation r\n@attribute a {0,1}\n@data\n2\n', /bad\.arff, line 4: 'a' is '2'; expected one of 0, 1/],
  [
    '@relation r\n@attribute a {0,1}\n@attribute x numeric\n@data\n1,abc\n',
    /line 5: 'x' is 'abc'; expected a number/,
  ],
  ['@relation r\n@attribute a {0,1}\n@data\n1,1\n', /line 4: 2 values for 1 attribute$/],
  ['@relation r\n@attribute a {0,1}\n@data\n{3 1}\n', /line 4: '3 1' in a sparse row/],
  ['@relation r\n@attribute a {0,1}\n@data\n{0 1\n', /line 4: a sparse row without a closing/],
  ['@relation r\n@attribute a {0,1\n@data\n1\n', /line 2: the values of 'a' have no closing/],
  ['@relation r\n@attribute a what\n@data\n1\n', /line 2: attribute 'a' is 'what'/],
  ['@relation r\n@attribute a {0,1}\n@attribute a {0,1}\n@data\n1,1\n', /attribute 'a' appears twice/],
  ['@relation r\n@attribute a {0,1}\n', /bad\.arff: no @data/],
  [
    '@relation r\n@attribute x numeric\n@data\n1\n',
    /no \{0,1\} attribute; put Mulan's list of labels next to it/,
  ],
  ['hello\n', /line 1: 'hello'; expected @relation/],
])('problems in an ARFF file are reported with file and line: %j', async (text, message) => {
  await expect(openDataset(file('bad.arff', text))).rejects.toThrow(message);
});

test.skipIf(!existsSync(shared))("Mulan's real scene and yeast datasets (needs ../shared)", async () => {
  const open = (name: string) =>
    openDataset(['train', 'test'].map((split) => join(shared, `${name}-${split}.arff`)).join(','));
  const scene = await open('scene');
  expect(scene.classes).toEqual(['Beach', 'Sunset', 'FallFoliage', 'Field', 'Mountain', 'Urban']);
  expect([scene.splits.train.length, scene.splits.test.length]).toEqual([1211, 1196]);
  const yeast = await open('yeast');
  expect(yeast.classes.length).toBe(14);
  expect([yeast.splits.train.length, yeast.splits.test.length]).toEqual([1500, 917]);
  // Cardinalities as Mulan publishes them.
  const cardinality = ({ labels }: typeof scene) => {
    let sum = 0;
    for (let row = 0; row < labels.rows; row++)
      for (let j = 0; j < labels.classes; j++) sum += labels.at(row, j);
    return sum / labels.rows;
  };
  expect(cardinality(scene)).toBeCloseTo(1.074, 3);
  expect(cardinality(yeast)).toBeCloseTo(4.237, 3);
});
