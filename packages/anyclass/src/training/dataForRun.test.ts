import { expect, test } from 'vitest';
import { validateConfiguration } from '../configuration/validate.js';
import { openRunData } from './dataForRun.js';

async function remarks(validation: number): Promise<readonly string[]> {
  const scenes = { train: 32, validation, test: 8 };
  const data = await openRunData(validateConfiguration({ data: { dataset: 'digits', digits: { scenes } } }));
  await data.close();
  return data.remarks;
}

test('a run remarks on validation with too few positives before it begins', async () => {
  expect(await remarks(16)).toEqual([
    expect.stringContaining('digits: 6 classes'),
    expect.any(String),
    expect.stringMatching(/^warning: \d positive validation images/),
    expect.stringMatching(/^warning: \d classes with fewer than 5 positive validation images: .*9: 0/),
  ]);
  expect(await remarks(2000)).toHaveLength(2);
});
