import { expect, test } from 'vitest';
import { validateConfiguration } from '../configuration/validate.js';
import { labelMatrixBuilder } from '../data/dataset/labelMatrix.js';
import { openDataset } from '../data/openDataset.js';
import { datasetFingerprint, openRunData } from './dataForRun.js';

async function remarks(validation: number): Promise<readonly string[]> {
  const scenes = { train: 32, validation, test: 8 };
  const data = await openRunData(validateConfiguration({ data: { dataset: 'digits', digits: { scenes } } }));
  await data.close();
  return data.remarks;
}

test('a run warns about too few validation positives before it starts', async () => {
  expect(await remarks(16)).toEqual([
    expect.stringContaining('digits: 6 classes'),
    expect.any(String),
    expect.stringMatching(/^warning: \d positive validation instances/),
    expect.stringMatching(/^warning: \d classes with fewer than 5 positive validation instances: .*9: 0/),
  ]);
  expect(await remarks(2000)).toHaveLength(2);
});

test('the fingerprint of labels that are 0 or 1 is the one that existing runs have recorded', async () => {
  const dataset = await openDataset('digits', {
    digits: { scenes: { train: 32, validation: 8, test: 8 } },
  });
  expect(datasetFingerprint(dataset)).toBe(
    '227cf625a3efc47df702a0b684b7e33af9de12dbfbc186a8761a2f3b34955776',
  );
});

test('every soft or unknown label is part of the fingerprint', async () => {
  const dataset = await openDataset('digits', { digits: { scenes: { train: 1, validation: 1, test: 1 } } });
  const prints = [0, 1, Number.NaN, 0.25, 0.75, 0.7500001].map((target) => {
    const builder = labelMatrixBuilder(6);
    for (let row = 0; row < 3; row++) {
      builder.addRow();
      builder.set(row, target);
    }
    return datasetFingerprint({ ...dataset, labels: builder.finish() });
  });
  expect(new Set(prints).size).toBe(prints.length);
});
