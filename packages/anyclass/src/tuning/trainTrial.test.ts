import { expect, test } from 'vitest';
import { validateConfiguration } from '../configuration/validate.js';
import type { StudySettings } from './study.js';
import { trainTrial } from './trainTrial.js';

const settings: StudySettings = {
  configuration: validateConfiguration({ data: { dataset: 'digits' } }),
  search: {},
  metric: 'mAP',
  seed: 0,
  eta: 3,
  minEpochs: 1,
};

test('a trial that is interrupted before it began starts no process', async () => {
  const train = trainTrial('nowhere', settings, { workers: 1 });
  const said: string[] = [];
  const outcome = await train(
    { trial: 0, attempt: 1, folder: 'trials/0000', values: {} },
    {
      signal: AbortSignal.abort(),
      report: () => Promise.resolve(false),
      progress: (text) => void said.push(text),
    },
  );
  expect({ outcome, said }).toEqual({ outcome: { kind: 'interrupted' }, said: [] });
});
