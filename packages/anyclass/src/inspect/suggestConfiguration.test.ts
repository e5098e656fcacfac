import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testFolder } from '../../../files/test/testFolder.js';
import { trainRun } from '../training/trainRun.js';
import { inspectDataset } from './inspectDataset.js';
import { inspectionVerdict } from './inspectionVerdict.js';
import { suggestConfiguration } from './suggestConfiguration.js';

test('what training would refuse for want of validation rows comes with a warning that names the way out', async () => {
  const table = join(testFolder(), 'soil.csv');
  const rows = Array.from(
    { length: 40 },
    (_, i) => `r${i},${i < 30 ? 'train' : 'test'},${i / 40},${i % 3 === 0 ? 1 : 0}`,
  );
  writeFileSync(table, ['name,split,moisture,dry', ...rows, ''].join('\n'));
  const set = { 'data.columns.features': ['moisture'] };
  const { remarks } = await suggestConfiguration(table, set);
  expect(remarks.at(-1)).toMatch(/warning.*no labeled validation rows.*data\.draw=\{\}/);
  const drawn = await suggestConfiguration(table, { ...set, 'data.draw': {} });
  expect(drawn.configuration['data']).toMatchObject({ draw: {} });
  expect(drawn.remarks.join('\n')).not.toContain('warning');
});

test('a table without a positive row is told before training refuses it, and not by its rare classes', async () => {
  const table = join(testFolder(), 'labels.csv');
  const rows = Array.from({ length: 60 }, (_, i) => `r${i},0,0,${Math.sin(i)}`);
  writeFileSync(table, ['Filename,dry,sour,feature_0', ...rows, ''].join('\n'));
  const { remarks } = await suggestConfiguration(table);
  expect(remarks.at(-1)).toMatch(/warning: no training row has a class/);
  const inspection = await inspectDataset(table);
  expect(inspection.problems.map(({ kind }) => kind)).toEqual(['no-positives']);
  expect(inspectionVerdict(inspection).text).toContain('Fix first: 0 training instances have a class.');
  const training = trainRun({ data: { dataset: table }, network: { name: 'linear' } });
  await expect(training).rejects.toThrow('there is nothing to learn');
});
