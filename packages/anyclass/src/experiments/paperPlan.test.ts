import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { testFolder } from '../../../files/test/testFolder.js';
import { paperDatasets } from '../configuration/recipes.js';
import { paperLambdaAblation, paperLossTable } from '../reports/experiment/paperTables.js';
import { paperParts, planPaper } from './paperPlan.js';
import { variantText } from './variants.js';

const folder = testFolder();
const out = join(folder, 'out');

test('a table has a run for every published row, and no other', () => {
  for (const [table, dataset] of [
    ['1', 'sewerml'],
    ['2', 'chestxray14'],
    ['3', 'coco-41'],
  ] as const) {
    const rows = paperParts(table).flatMap(({ network, losses }) =>
      losses.map((loss) => `${network} ${loss.name}`),
    );
    expect(rows).toEqual(paperLossTable(dataset).map(({ network, loss }) => `${network} ${loss}`));
  }
});

test('the ablations are the published ones, with their λ', () => {
  const published = paperDatasets.flatMap((dataset) =>
    (['bce', 'focal'] as const).flatMap((base) => {
      const found = paperLambdaAblation(dataset, base);
      const swept = found?.anyClass.map(([lambda]) => `any-${base} lambda=${lambda}`) ?? [];
      return found ? [`${dataset} ${[base, ...swept].join(',')}`] : [];
    }),
  );
  const planned = paperParts('lambda').map(
    ({ dataset, losses }) => `${dataset} ${losses.map((loss) => variantText(loss, 'loss'))}`,
  );
  expect(planned.sort()).toEqual(published.sort());
});

describe('the plan of a table', () => {
  test('trains each network with its own recipe', async () => {
    const plan = await planPaper({ table: '2', data: ['chestxray14=x'], out });
    expect(plan.map(({ name }) => name)).toEqual(
      ['tresnet-l', 'maxvit-s'].flatMap((network) =>
        ['bce', 'any-bce@lambda=0.02', 'focal', 'any-focal@lambda=0.02'].map(
          (loss) => `chestxray14-${network}-${loss}-seed1`,
        ),
      ),
    );
    const [convolutional, , , , transformer] = plan.map(({ configuration }) => configuration);
    expect(convolutional).toMatchObject({ epochs: 40, optimizer: { name: 'sgd', rate: 0.1 } });
    expect(transformer).toMatchObject({ epochs: 90, optimizer: { name: 'adamw', rate: 1e-4 } });
  });

  test('shares the runs of a loss table with its ablation', async () => {
    const plan = await planPaper({ table: 'all', data: ['coco-41=x'], out });
    // Four losses with two networks, and eight λ, one of which is in the table.
    expect(plan.length).toBe(8 + 7);
    expect(new Set(plan.map(({ folder: path }) => path)).size).toBe(plan.length);
  });

  test('has the requested seeds, fields and networks', async () => {
    const options = { table: '1', data: ['sewerml=x'], networks: ['maxvit-s'], out } as const;
    const plan = await planPaper({
      ...options,
      seeds: [1, 2],
      set: { epochs: 3, 'network.name': 'tresnet-s' },
    });
    expect(plan.length).toBe(8);
    expect(plan[0]!.configuration).toMatchObject({
      epochs: 3,
      network: { name: 'tresnet-s' },
      optimizer: { name: 'adamw' },
    });
  });

  test.each([
    [{ table: '1', data: [] }, 'data', 'sewerml=DIR'],
    [{ table: '1', data: ['coco-41=x'] }, 'data', 'table 1 has no coco-41'],
    [{ table: 'lambda', data: ['sewer=x'] }, 'data', "'sewer=x' is not NAME=DIR"],
    [{ table: 'lambda', data: ['coco-41=x', 'coco-41=y'] }, 'data', 'coco-41 is given twice'],
    [{ table: '2', data: ['chestxray14=x'], networks: ['vit-b-16'] }, 'networks', "has no 'vit-b-16'"],
    [{ table: '2', data: ['chestxray14=x'], set: { 'network.name': 'tresnet-s' } }, 'networks', 'choose one'],
  ] as const)('%j is refused', async (options, option, message) => {
    await expect(planPaper({ ...options, out })).rejects.toMatchObject({
      option,
      message: expect.stringContaining(message),
    });
  });
});
