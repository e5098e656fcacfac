import { mkdirSync, writeFileSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { testFolder } from '../../../files/test/testFolder.js';
import {
  absoluteDataset,
  type DatasetSpec,
  datasetFolders,
  datasetName,
  datasetText,
  folderDatasets,
  parseDataset,
  withDatasetPaths,
} from './datasetSpec.js';

const folder = testFolder();

const paths = (...list: string[]): DatasetSpec => ({ kind: 'paths', paths: list });

/** Texts of names and of the characters with a meaning in a DATASET; no path starts or ends with a space. */
const texts = fc
  .array(fc.constantFrom('digits', 'sewerml', 'coco-41', 'a', 'b.csv', '=', ',', ', ', '*', '/', '.'), {
    minLength: 1,
    maxLength: 9,
  })
  .map((words) => words.join(''))
  .filter((text) => !text.includes(' /'));

/** The parsed texts; invalid ones are left out. */
const specs = texts
  .map((text) => {
    try {
      return parseDataset(text, folder);
    } catch {
      return undefined;
    }
  })
  .filter((spec) => spec !== undefined);

test.each<[string, DatasetSpec]>([
  ['digits', { kind: 'digits' }],
  ['./digits', paths('./digits')],
  ['sewerml=data/sewer', { kind: 'known', name: 'sewerml', folder: 'data/sewer' }],
  ['sewerml=a,b', { kind: 'known', name: 'sewerml', folder: 'a,b' }],
  ['mnist=data', paths('mnist=data')],
  ['train.csv, val.csv', paths('train.csv', 'val.csv')],
  ['data/part-*.parquet,more.parquet', paths('data/part-*.parquet', 'more.parquet')],
])('%j means %j', (text, spec) => {
  expect(parseDataset(text, folder)).toEqual(spec);
});

test.each(['', ' ', 'a.csv,', 'a.csv,,b.csv', ','])('%j is refused', (text) => {
  expect(() => parseDataset(text, folder)).toThrow('data.dataset');
});

test("a dataset's text parses back to the same dataset", () => {
  fc.assert(
    fc.property(specs, (spec) => {
      expect(parseDataset(datasetText(spec), folder)).toEqual(spec);
    }),
    { numRuns: 1000 },
  );
});

test('a dataset made absolute has no relative path left and is the same from any folder', () => {
  fc.assert(
    fc.property(specs, (spec) => {
      const absolute = absoluteDataset(spec, folder);
      expect(absoluteDataset(absolute, '/elsewhere')).toEqual(absolute);
      expect(parseDataset(datasetText(absolute), '/elsewhere')).toEqual(absolute);
      if (absolute.kind === 'known') expect(isAbsolute(absolute.folder)).toBe(true);
      if (absolute.kind === 'paths') expect(absolute.paths.every(isAbsolute)).toBe(true);
    }),
    { numRuns: 1000 },
  );
});

test('a path that turns into a dataset name stays a path', () => {
  fc.assert(
    fc.property(fc.constantFrom('digits', ...folderDatasets.map((name) => `${name}=x`)), (name) => {
      const moved = withDatasetPaths(paths(`below/${name}`), () => name);
      expect(parseDataset(datasetText(moved), folder)).toEqual(paths(`./${name}`));
    }),
  );
});

describe('paths that exist', () => {
  const file = (...names: string[]) => {
    const path = join(folder, ...names);
    mkdirSync(join(path, '..'), { recursive: true });
    writeFileSync(path, '');
  };

  test.each(['x,y.csv', 'sewerml=x', 'year=1,site=b.csv', 'odd*,1.csv'])('%j is one path', (name) => {
    file(name);
    expect(parseDataset(name, folder)).toEqual(paths(name));
    expect(parseDataset(`other.csv, ${name}`, folder)).toEqual(paths('other.csv', name));
  });

  test('files and patterns in a folder with a comma in its name survive being made absolute', () => {
    file('2024,site', 'one.csv');
    file('2024,site', 'part-1.csv');
    const base = join(folder, '2024,site');
    const absolute = absoluteDataset(parseDataset('one.csv,part-*.csv', base), base);
    expect(absolute).toEqual(paths(join(base, 'one.csv'), join(base, 'part-*.csv')));
    expect(parseDataset(datasetText(absolute))).toEqual(absolute);
  });
});

test.each([
  ['digits', 'digits', []],
  ['coco-41=/data/coco', 'coco-41', ['data', 'coco']],
  ['/data/coco64/part-*.parquet', 'coco64', ['data']],
  ['/data/siteA/labels.csv.gz,/data/siteB/labels.csv', 'labels', ['data', 'siteA']],
  ['/data/photos/', 'photos', ['data']],
])('%s is named %s and is below %j', (text, name, folders) => {
  expect(datasetName(parseDataset(text))).toBe(name);
  expect(datasetFolders(parseDataset(text))).toEqual(folders);
});
