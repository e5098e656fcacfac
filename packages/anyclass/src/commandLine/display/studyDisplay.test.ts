import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testFolder } from '../../../../files/test/testFolder.js';
import { validateConfiguration } from '../../configuration/validate.js';
import { openLedger } from '../../tuning/ledger.js';
import { createStudy, type StudySettings } from '../../tuning/study.js';
import { work } from '../../tuning/work.js';
import { studyDisplay } from './studyDisplay.js';

const root = testFolder();

const settings: StudySettings = {
  configuration: validateConfiguration({ data: { dataset: 'digits' }, epochs: 2 }),
  search: { 'loss.alpha': { kind: 'choice', values: [0.5] } },
  metric: 'bce',
  seed: 0,
  eta: 3,
  minEpochs: 1,
};

/** Runs two trials, the second worse than the first, and returns what the display writes. */
async function written(name: string, isTTY: boolean): Promise<string> {
  const folder = join(root, name);
  await createStudy(folder, settings);
  const ledger = openLedger(folder, settings);
  await ledger.setGoal(2);
  const texts: string[] = [];
  const output = { isTTY, columns: 200, write: (text: string) => void texts.push(text) };
  using display = studyDisplay(settings, ledger, 1, output);
  await work(folder, settings, {
    onEvent: display.onEvent,
    async objective({ trial }, hooks) {
      hooks.onEvent({ type: 'progress', task: 'validation', done: 0, total: 40, unit: 'images' });
      return (await hooks.report(1, 0.25 + trial)) ? { kind: 'interrupted' } : { kind: 'finished' };
    },
  });
  return texts.join('');
}

test('on a terminal, there is a line for the study and one for each worker, with ended trials above', async () => {
  const text = await written('terminal', true);
  expect(text).toContain('0 of 2 trials\n');
  expect(text).toContain('worker 1: trial 0, validation 0/40 images\n');
  expect(text).toMatch(/trial 1 stopped after epoch 1: bce 1\.2500, loss\.alpha=0\.5\n/);
  expect(text).toMatch(/2 of 2 trials: 1 finished, 1 stopped; best bce 0\.2500 in trial 0\n/);
});

test('without a terminal, each end of a trial is a line, followed by one for the state of the study', async () => {
  const lines = (await written('file', false)).trimEnd().split('\n');
  expect(lines).toHaveLength(4);
  expect(lines[0]).toBe('trial 0 finished after epoch 1: bce 0.2500, loss.alpha=0.5');
  expect(lines[1]).toMatch(/^1 of 2 trials: 1 finished; best bce 0\.2500 in trial 0, about \d+ min left$/);
  expect(lines[3]).toBe('2 of 2 trials: 1 finished, 1 stopped; best bce 0.2500 in trial 0');
});
