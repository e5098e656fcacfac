import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { testFolder } from '../../../files/test/testFolder.js';
import { readConfiguration } from '../training/readConfiguration.js';
import { pathsForFile, pathsFromFile, withPaths } from './paths.js';

const folder = testFolder();
const before = process.cwd();
beforeAll(() => {
  process.chdir(folder);
  mkdirSync('experiments');
  mkdirSync('models');
  writeFileSync('models/a.pth', '');
  writeFileSync('experiments/b.pth', '');
});
afterAll(() => {
  process.chdir(before);
});

const written = {
  data: {
    dataset: '../photos/labels.csv',
    imageFolder: '../photos',
    splitFolder: 'splits',
    cache: '/tmp/cache',
  },
  network: { weights: '../models/a.pth' },
  teacher: { models: ['../models/run', 'scores.csv'] },
};
const fromHere = {
  data: {
    dataset: 'photos/labels.csv',
    imageFolder: 'photos',
    splitFolder: 'experiments/splits',
    cache: '/tmp/cache',
  },
  network: { weights: 'models/a.pth' },
  teacher: { models: ['models/run', 'experiments/scores.csv'] },
};

describe('paths in a configuration file', () => {
  test('are relative to that file, whether it is JSON or a module', async () => {
    writeFileSync('experiments/a.json', JSON.stringify(written));
    writeFileSync('experiments/a.mjs', `export default ${JSON.stringify(written)};`);
    expect(await readConfiguration('experiments/a.json')).toMatchObject(fromHere);
    expect(await readConfiguration('experiments/a.mjs')).toMatchObject(fromHere);
    const absolute = await readConfiguration(resolve('experiments/a.json'));
    expect(absolute.data.imageFolder).toBe(resolve('photos'));
  });

  test('are overridden by those in options, which are relative to the current folder', async () => {
    writeFileSync('experiments/b.json', JSON.stringify({ recipe: 'quick', ...written }));
    const set = { 'data.imageFolder': 'scans', 'network.weights': 'models/a.pth' };
    const { data, network } = await readConfiguration('experiments/b.json', { dataset: 'scans.csv', set });
    expect(data).toMatchObject({ dataset: 'scans.csv', imageFolder: 'scans' });
    expect(network.weights).toBe('models/a.pth');
  });

  test('do not include names of weights, which stay as they are; a path that looks like a name stays a path', () => {
    const moved = (weights: string) => withPaths({ network: { weights } }, (path) => join('models', path));
    for (const name of [
      'timm/resnet18.a1_in1k',
      'hf:ada/pipes@main:best.pth',
      'https://a.example/b.pth#sha256=0',
    ]) {
      expect(moved(name)).toEqual({ network: { weights: name } });
    }
    expect(moved('timm/a.safetensors')).toEqual({ network: { weights: 'models/timm/a.safetensors' } });
    expect(withPaths({ network: { weights: './x' } }, () => 'timm/x')).toEqual({
      network: { weights: './timm/x' },
    });
  });

  test('that are omitted, such as the cache, are relative to the current folder', async () => {
    writeFileSync('experiments/c.json', '{ "data": { "dataset": "digits" } }');
    expect((await readConfiguration('experiments/c.json')).data).toMatchObject({
      dataset: 'digits',
      cache: '.anyclass/cache',
    });
  });

  test('stay as they are in the current folder, even if a path has the name of a dataset', async () => {
    writeFileSync('d.json', '{ "data": { "dataset": "./digits" } }');
    expect((await readConfiguration('d.json')).data.dataset).toBe('./digits');
    writeFileSync('experiments/d.json', '{ "data": { "dataset": "../digits" } }');
    expect((await readConfiguration('experiments/d.json')).data.dataset).toBe('./digits');
  });

  test('are shown relative to the current folder if they do not exist', async () => {
    writeFileSync('experiments/e.json', '{ "recipe": "quick", "network": { "weights": "nowhere.pth" } }');
    await expect(readConfiguration('experiments/e.json')).rejects.toThrow(
      'network.weights experiments/nowhere.pth cannot be read',
    );
    writeFileSync('experiments/f.json', '{ "recipe": "quick", "network": { "weights": "b.pth" } }');
    expect((await readConfiguration('experiments/f.json')).network.weights).toBe('experiments/b.pth');
  });
});

test('paths written to a file are read back as the same locations', () => {
  const names = fc.constantFrom('a', 'b.csv', '..', 'digits', 'sewerml=a', 'part-*.csv', 'experiments');
  const path = fc.array(names, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('/'));
  const places = (fields: object) => withPaths({ ...fields }, (each) => resolve(each));
  fc.assert(
    fc.property(path, path, path, (dataset, imageFolder, out) => {
      const fields = { data: { dataset, imageFolder }, epochs: 3 };
      expect(places(pathsFromFile(pathsForFile(fields, out), out))).toEqual(places(fields));
    }),
  );
});

test('anything that is not a path or not a string is left alone', () => {
  const odd = { data: { dataset: 3, keep: ['a'] }, network: 'x', epochs: 1 };
  expect(pathsFromFile(odd, 'experiments')).toEqual(odd);
});
