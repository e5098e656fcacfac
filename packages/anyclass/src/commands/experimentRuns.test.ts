import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testFolder } from '../../../files/test/testFolder.js';
import { writeSyntheticRun } from '../../test/experimentRuns.js';
import { compareRuns } from '../experiments/comparison.js';
import { readRuns } from '../experiments/readRuns.js';
import { writeTradeOffs } from './experimentRuns.js';

const folder = testFolder();

test('a comparison and a sweep in one folder each have their own trade-off chart', async () => {
  for (const [name, strength] of [
    ['bce', 1],
    ['any-bce', 2],
  ] as const) {
    const configuration = { data: { dataset: 'pipes.csv' }, loss: { name } };
    writeSyntheticRun(join(folder, 'runs', name), { configuration, strength });
  }
  const comparison = await compareRuns(readRuns([join(folder, 'runs')]), { replicates: 0 });
  await writeTradeOffs(folder, comparison);
  expect(await writeTradeOffs(folder, comparison, 'sweep-')).toEqual([
    join(folder, 'sweep-trade-off-pipes.svg'),
  ]);
  expect(readdirSync(folder).filter((name) => name.endsWith('.svg'))).toEqual([
    'sweep-trade-off-pipes.svg',
    'trade-off-pipes.svg',
  ]);
});
