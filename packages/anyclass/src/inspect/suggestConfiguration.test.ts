import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testFolder } from '../../../files/test/testFolder.js';
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
