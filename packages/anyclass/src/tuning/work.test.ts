import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { testFolder } from '../../../files/test/testFolder.js';
import { validateConfiguration } from '../configuration/validate.js';
import type { Trial } from './events.js';
import { openLedger } from './ledger.js';
import { bestScore } from './score.js';
import { createStudy, type StudySettings } from './study.js';
import { type Objective, type WorkOptions, work } from './work.js';

const root = testFolder();

const settings: StudySettings = {
  configuration: validateConfiguration({ data: { dataset: 'digits' }, epochs: 9 }),
  search: {
    'loss.alpha': { kind: 'uniform', low: 0, high: 1 },
    'optimizer.rate': { kind: 'log', low: 1e-4, high: 1 },
  },
  metric: 'mAP',
  seed: 5,
  eta: 3,
  minEpochs: 1,
};

/** No two curves cross: at every rung the trial with the highest final value is ahead. */
const pretended: Objective = async ({ values }, { report, signal }) => {
  const end = 1 - (Number(values['loss.alpha']) - 0.3) ** 2;
  for (let epoch = 1; epoch <= 9; epoch++) {
    if (signal.aborted || (await report(epoch, end * (1 - 0.5 ** epoch)))) return { kind: 'interrupted' };
  }
  return { kind: 'finished' };
};

let studies = 0;
async function study(
  trials: number,
  options: Partial<WorkOptions> = {},
  used = settings,
): Promise<readonly Trial[]> {
  const folder = join(root, String(studies++));
  await createStudy(folder, used);
  return goOn(folder, trials, options, used);
}

async function goOn(
  folder: string,
  trials: number,
  options: Partial<WorkOptions> = {},
  used = settings,
): Promise<readonly Trial[]> {
  const ledger = openLedger(folder, used);
  await ledger.setGoal(trials);
  await work(folder, used, { objective: pretended, ...options });
  return ledger.state().trials;
}

const scores = (trials: readonly Trial[]) => trials.map((trial) => bestScore(trial, 'mAP') ?? 0);

describe('successive halving', () => {
  test('stops poor trials early and never the best one', async () => {
    const trials = await study(40);
    const finished = trials.filter(({ status }) => status === 'finished');
    const epochs = trials.reduce((sum, { history }) => sum + history.length, 0);
    expect(finished.length).toBeGreaterThan(0);
    expect(trials.filter(({ status }) => status === 'stopped').length).toBeGreaterThan(20);
    expect(epochs).toBeLessThan(0.5 * 40 * 9);
    expect(Math.max(...scores(finished))).toBe(Math.max(...scores(trials)));
    const ends = trials.map(({ values }) => 1 - (Number(values['loss.alpha']) - 0.3) ** 2);
    expect(trials[ends.indexOf(Math.max(...ends))]?.status).toBe('finished');
  });

  test('stops trials only at its rungs', async () => {
    const trials = await study(20);
    for (const { status, history } of trials) {
      if (status === 'stopped') expect([1, 3]).toContain(history.length);
      else expect(history).toHaveLength(9);
    }
  });

  test('treats lower values as better if the metric is a loss', async () => {
    const objective: Objective = async ({ values }, hooks) =>
      pretended(
        { trial: 0, attempt: 1, folder: '', values },
        {
          ...hooks,
          report: (epoch, value) => hooks.report(epoch, 2 - (value ?? 0)),
        },
      );
    const [higher, lower] = [await study(25), await study(25, { objective }, { ...settings, metric: 'bce' })];
    expect(lower.map(({ status }) => status)).toEqual(higher.map(({ status }) => status));
    expect(lower.map(({ values }) => values)).toEqual(higher.map(({ values }) => values));
  });
});

describe('the work on a study', () => {
  test('with one worker yields the same trials for the same seed, and others for another', async () => {
    const [first, again] = [await study(15), await study(15)];
    const valuesOf = (trials: readonly Trial[]) => trials.map(({ values }) => values);
    expect(valuesOf(again)).toEqual(valuesOf(first));
    expect(valuesOf(await study(15, {}, { ...settings, seed: 6 }))).not.toEqual(valuesOf(first));
  });

  test('continues to a higher goal, with the same trials as without a break', async () => {
    const folder = join(root, 'raised');
    await createStudy(folder, settings);
    const before = await goOn(folder, 12);
    const after = await goOn(folder, 15);
    expect(after.slice(0, 12)).toEqual(before);
    expect(after.map(({ values }) => values)).toEqual((await study(15)).map(({ values }) => values));
  });

  test('returns its trials when interrupted, and resumes them the next time', async () => {
    const controller = new AbortController();
    const folder = join(root, 'interrupted');
    await createStudy(folder, settings);
    const objective: Objective = (claim, hooks) =>
      pretended(claim, {
        ...hooks,
        async report(epoch, value) {
          if (claim.trial === 3 && epoch === 1) controller.abort();
          return (await hooks.report(epoch, value)) || hooks.signal.aborted;
        },
      });
    const before = await goOn(folder, 8, { objective, signal: controller.signal });
    expect(before.filter(({ status }) => status === 'running')).toEqual([]);
    expect(before.length).toBeLessThan(8);
    const after = await goOn(folder, 8);
    expect(after.every(({ status }) => status === 'finished' || status === 'stopped')).toBe(true);
    expect(after).toHaveLength(8);
    expect(readdirSync(join(folder, 'workers'))).toEqual([]);
  });

  test('records a trial that fails with its reason, and continues', async () => {
    const ends: string[] = [];
    const objective: Objective = async (claim, hooks) =>
      claim.trial === 2
        ? { kind: 'failed', reason: 'the loss is NaN', hasBegun: true }
        : pretended(claim, hooks);
    const trials = await study(5, {
      objective,
      onEvent(event) {
        if (event.type === 'child') ends.push(`${event.name} ${event.state}`);
      },
    });
    expect(trials[2]).toMatchObject({ status: 'failed', reason: 'the loss is NaN', history: [] });
    expect(trials).toHaveLength(5);
    expect(ends).toContain('trial 2 failed');
  });

  test('stops if the first trial cannot even start, and keeps that trial', async () => {
    const folder = join(root, 'hopeless');
    await createStudy(folder, settings);
    const objective: Objective = async () => ({
      kind: 'failed',
      reason: 'pipes.csv: no such file',
      hasBegun: false,
    });
    await expect(goOn(folder, 5, { objective })).rejects.toThrow(/trial 0 .*pipes.csv: no such file/);
    expect((await goOn(folder, 5)).map(({ status }) => status)).not.toContain('failed');
  });

  test('stops if the disk is full, and tries that trial again next time', async () => {
    const folder = join(root, 'full');
    await createStudy(folder, settings);
    const objective: Objective = async (claim, hooks) =>
      claim.trial === 2
        ? { kind: 'failed', reason: 'the disk is full', hasBegun: true, isUnwritable: true }
        : pretended(claim, hooks);
    await expect(goOn(folder, 5, { objective })).rejects.toThrow('trial 2: the disk is full');
    expect((await goOn(folder, 5)).map(({ status }) => status)).not.toContain('failed');
  });

  test('stops if the first three trials fail while training', async () => {
    const objective: Objective = async () => ({ kind: 'failed', reason: 'out of memory', hasBegun: true });
    await expect(study(9, { objective })).rejects.toThrow('trial 2 failed, like all before it');
  });

  test('runs several trials side by side on request', async () => {
    // Each waits until three are in progress; if they ran one after another, the first would wait forever.
    let begun = 0;
    const objective: Objective = async (claim, hooks) => {
      begun++;
      while (begun < 3) await sleep(5);
      return pretended(claim, hooks);
    };
    expect(await study(12, { objective, workers: 3 })).toHaveLength(12);
  });
});
