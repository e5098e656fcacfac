import { readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { testFolder } from '../../../files/test/testFolder.js';
import { tinyRun } from '../../test/tinyRun.js';
import { validateConfiguration } from '../configuration/validate.js';
import type { StudySettings } from './study.js';
import type * as trials from './trainTrial.js';

// Children run the built code, without the export conditions by which tests find the sources.
process.execArgv = [];
const built = resolve(import.meta.dirname, '../../dist/tuning/trainTrial.js');
const { trainTrial }: typeof trials = await import(built);
const study = testFolder();

const settings: StudySettings = {
  configuration: validateConfiguration(tinyRun),
  search: {},
  metric: 'mAP',
  seed: 0,
  eta: 3,
  minEpochs: 1,
};

test('a trial that is interrupted before it starts does not start a process', async () => {
  const train = trainTrial('nowhere', settings, { workers: 1 });
  const said: string[] = [];
  const outcome = await train(
    { trial: 0, attempt: 1, folder: 'trials/0000', values: {} },
    {
      signal: AbortSignal.abort(),
      report: () => Promise.resolve(false),
      onEvent: (event) => void said.push(event.type),
    },
  );
  expect({ outcome, said }).toEqual({ outcome: { kind: 'interrupted' }, said: [] });
});

test('a trial whose metric cannot be recorded stops with the reason, after its checkpoint', async () => {
  const train = trainTrial(study, settings, { workers: 1 });
  const hooks = {
    signal: new AbortController().signal,
    report: () => Promise.reject(new Error('the disk is full')),
    onEvent: () => {},
  };
  await expect(train({ trial: 0, attempt: 1, folder: '0000', values: {} }, hooks)).rejects.toThrow(
    'the disk is full',
  );
  expect(readdirSync(join(study, '0000', 'checkpoints'))).toContain('epoch-0001-step-000000.safetensors');
}, 60_000);
