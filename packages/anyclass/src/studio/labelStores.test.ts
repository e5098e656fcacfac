import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SaveRequest } from '@anyclass/studio';
import { afterEach, expect, test } from 'vitest';
import { correctionStore, saveLabels } from './labelStores.js';

const folder = mkdtempSync(join(tmpdir(), 'anyclass-labels-'));
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
