// How often `predict` fits a decision. Counts calls of a module, so this file has a process of its own.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { testFolder } from '../../../files/test/testFolder.js';
import { runInProcess } from '../../test/inProcess.js';
import { fitOnValidation } from '../inference/decide.js';
import { trainRun } from '../training/trainRun.js';

vi.mock('../inference/decide.js', async (original) => {
  const actual = await original<typeof import('../inference/decide.js')>();
  return { ...actual, fitOnValidation: vi.fn(actual.fitOnValidation) };
});

const folder = testFolder();

test('a decision that predict refits is fitted once, and what is printed is what is used', async () => {
  const rows = Array.from({ length: 90 }, (_, i) => {
    const split = i < 40 ? 'train' : i < 80 ? 'validation' : 'test';
    return `${i},${split},${Number(i % 5 === 0)},${(i % 5) + Math.sin(i)}`;
  });
  const table = join(folder, 'soil.csv');
  writeFileSync(table, `Filename,split,dry,feature_0\n${rows.join('\n')}\n`);
  const configuration = { data: { dataset: table }, network: { name: 'linear' }, epochs: 1 } as const;
  await trainRun(
    { ...configuration, device: 'cpu', evaluation: { replicates: 0 } },
    { run: join(folder, 'soil') },
  );
  vi.mocked(fitOnValidation).mockClear();
  const words = [
    'predict',
    'soil',
    'soil.csv',
    '--out',
    'p.csv',
    '--false-alarms',
    '0.3',
    '--confidence',
    'none',
  ];
  const { status, stderr } = await runInProcess(folder, words);
  expect(status).toBe(0);
  expect(fitOnValidation).toHaveBeenCalledTimes(1);
  expect(stderr.match(/^gate on validation: F1 .*$/gm)).toHaveLength(1);
  expect(stderr.match(/^on test: F1 .*$/gm)).toHaveLength(1);
});
