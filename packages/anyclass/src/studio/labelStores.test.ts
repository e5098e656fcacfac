import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SaveRequest } from '@anyclass/studio';
import { afterEach, expect, test } from 'vitest';
import { testFolder } from '../../../files/test/testFolder.js';
import { correctionStore, saveLabels, tableStore } from './labelStores.js';

const folder = testFolder();
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const request = (name: string, crack: 0 | 1, replaces: SaveRequest['replaces'] = null): SaveRequest => ({
  name,
  labels: { crack },
  author: 'ada',
  replaces,
});

test('answers that are saved together are all saved, or none of them', async () => {
  const store = correctionStore(join(folder, 'photos.csv'));
  await saveLabels(store, [request('a.png', 1)]);
  const before = readFileSync(store.file, 'utf8');
  // The second was labeled meanwhile by someone else.
  const late = [request('b.png', 1), request('a.png', 0)];
  await expect(saveLabels(store, late)).rejects.toThrow('a.png was labeled meanwhile by ada');
  expect(readFileSync(store.file, 'utf8')).toBe(before);
  await saveLabels(store, [request('b.png', 1), request('a.png', 0, { crack: 1 })]);
  expect((await store.read()).map(({ name, labels }) => [name, labels['crack']])).toEqual([
    ['b.png', 1],
    ['a.png', 0],
  ]);
});

test('thousands of answers write their file once', async () => {
  const store = correctionStore(join(folder, 'many.csv'));
  let writes = 0;
  const counted = {
    ...store,
    write: (...all: Parameters<typeof store.write>) => {
      writes++;
      return store.write(...all);
    },
  };
  const answers = Array.from({ length: 3000 }, (_, i) => request(`${i}.png`, 1));
  expect(await saveLabels(counted, answers)).toHaveLength(3000);
  expect(writes).toBe(1);
});

test('rows of other images stay as they stand in the file, and words are labels', async () => {
  const file = join(folder, 'given.csv');
  mkdirSync(folder, { recursive: true });
  const rows = ['image,class,label', 'a.png,crack,0.7', 'b.png,crack,yes', 'c.png,crack,-1', ''];
  writeFileSync(file, rows.join('\n'));
  const store = correctionStore(join(folder, 'photos.csv'), file);
  expect((await store.read()).map(({ labels }) => labels['crack'])).toEqual([1, 1, null]);
  await saveLabels(store, [request('d.png', 0)]);
  const written = readFileSync(store.file, 'utf8').split('\n');
  expect(written.slice(0, 4)).toEqual([
    'image,class,label,author,time',
    'a.png,crack,0.7,,',
    'b.png,crack,yes,,',
    'c.png,crack,-1,,',
  ]);
});

test('a label that is none is named with its line, and nothing is written', async () => {
  const file = join(folder, 'wrong.csv');
  mkdirSync(folder, { recursive: true });
  writeFileSync(file, 'image,class,label\na.png,crack,perhaps\n');
  await expect(saveLabels(correctionStore(file), [request('b.png', 1)])).rejects.toThrow(
    /wrong\.csv, line 2: label 'perhaps'/,
  );
  expect(readFileSync(file, 'utf8')).toContain('perhaps');
});

test("somebody's table with the name of a queue's labels is left alone", async () => {
  const file = join(folder, 'mined-labels.csv');
  mkdirSync(folder, { recursive: true });
  const theirs = 'Filename,split,crack,depth\na.png,validation,1,3.5\n';
  writeFileSync(file, theirs);
  const store = tableStore(file, ['crack']);
  await expect(saveLabels(store, [request('a.png', 0)])).rejects.toThrow(
    /mined-labels\.csv is not the table/,
  );
  expect(readFileSync(file, 'utf8')).toBe(theirs);
  rmSync(file);
  await saveLabels(store, [request('a.png', 1)]);
  expect(await store.read()).toMatchObject([{ name: 'a.png', labels: { crack: 1 } }]);
});

test('an answer without labels is none', async () => {
  const store = correctionStore(join(folder, 'none.csv'));
  const none = { name: 'a.png', labels: {}, author: 'ada', replaces: null };
  expect(await saveLabels(store, [none])).toEqual([]);
  await saveLabels(store, [{ ...none, labels: { crack: 1 }, replaces: {} }]);
  expect(await store.read()).toMatchObject([{ labels: { crack: 1 } }]);
});
