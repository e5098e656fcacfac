import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  bootstrapDecisions,
  fitDecision,
  joinSeeds,
  measure,
  presenceAuc,
  seedDifference,
} from '@anyclass/core';
import { beforeAll, describe, expect, test } from 'vitest';
import { testFolder } from '../../../files/test/testFolder.js';
import { type SyntheticRun, writeSyntheticRun } from '../../test/experimentRuns.js';
import type { LossName } from '../losses/lossNames.js';
import { compare } from './compare.js';
import { compareRuns } from './comparison.js';
import { comparisonTables } from './comparisonTables.js';
import { crossFitted } from './decidedRun.js';
import { readRun, readRuns } from './readRuns.js';
import { sweep } from './runSweep.js';

const folder = testFolder();
const at = (name: string) => join(folder, name);

function run(name: LossName, seed: number, strength: number): SyntheticRun {
  return { configuration: { data: { dataset: 'pipes.csv' }, loss: { name }, seed }, strength };
}

beforeAll(() => {
  for (const seed of [1, 2]) {
    writeSyntheticRun(at(`all/bce-${seed}`), run('bce', seed, 1.2));
    writeSyntheticRun(at(`all/any-${seed}`), run('any-bce', seed, 2.4));
  }
});

describe('a comparison', () => {
  test('evaluates every run on test at the decision fitted on its own validation scores', async () => {
    const runs = readRuns([at('all')]);
    const { groups, decision } = await compareRuns(runs, { replicates: 0 });
    expect(decision).toEqual({
      rule: 'gate',
      budget: { falseAlarms: 0.05, confidence: 0.95 },
      beta: 1,
      candidates: 'adaptive',
    });
    for (const { folders, decided } of groups) {
      const ofSeeds = await Promise.all(
        folders.map(async (path) => {
          const scores = readRun(path).scores;
          const [validation, test] = [(await scores('validation'))!, (await scores('test'))!];
          const metrics = measure(test, { threshold: fitDecision(validation) });
          return { ...metrics, presenceAuc: presenceAuc(test) };
        }),
      );
      for (const metric of ['macroF1', 'macroF2', 'f1Neg', 'falseAlarmRate', 'presenceAuc', 'mAP'] as const)
        expect(decided!.test![metric]!.values).toEqual(ofSeeds.map((each) => each[metric]));
      expect(decided).toMatchObject({ rule: 'gate', budget: decision.budget });
      // With fewer than 59 negatives nothing can be guaranteed at 5%.
      expect(decided!.guarantee).toMatchObject({ holds: false, reason: 'too few negatives' });
    }
  });

  test('evaluates at the given budget', async () => {
    const runs = readRuns([at('all/bce-1'), at('all/any-1')]);
    const test = (await runs[0]!.scores('test'))!;
    const validation = (await runs[0]!.scores('validation'))!;
    const budget = { falseAlarms: 0.3, confidence: null } as const;
    for (const decision of [{ budget }, { budget: { f1Neg: 0.8 } }, { rule: 'class', beta: 2 }] as const) {
      const { groups, verdict } = await compareRuns(runs, { replicates: 5, decision });
      const { macroF1 } = measure(test, { threshold: fitDecision(validation, decision) });
      expect(groups[0]!.decided!.test!.macroF1!.mean).toBe(macroF1);
      expect(verdict).toMatch(/30% false alarms|F1-Neg of at least 80%|a threshold per class/);
    }
    await expect(compareRuns(runs, { decision: { budget: { falseAlarms: 5 } } })).rejects.toThrow(
      'budget.falseAlarms is 5',
    );
  });

  test('refits every decision in every draw, and reports how many draws there were', async () => {
    const runs = readRuns([at('all/bce-1'), at('all/bce-2'), at('all/any-1'), at('all/any-2')]);
    const { differences, groups } = await compareRuns(runs, { replicates: 30 });
    const models = await Promise.all(
      runs.map(async ({ scores }) => ({
        validation: (await scores('validation'))!,
        test: (await scores('test'))!,
      })),
    );
    const drawn = bootstrapDecisions(models, { replicates: 30 });
    const expected = seedDifference(joinSeeds(drawn.slice(0, 2)), joinSeeds(drawn.slice(2)));
    const { atDecision, replicates } = differences[0]!;
    expect(replicates).toBe(30);
    for (const metric of ['macroF1', 'macroF2', 'f1Neg', 'falseAlarmRate'] as const)
      expect(atDecision![metric]).toMatchObject(expected[metric]!);
    expect(atDecision!.mAP).toBeNull();
    const mean = (loss: string) => groups.find((group) => group.loss === loss)!.decided!.test!.macroF1!.mean;
    expect(atDecision!.macroF1!.value).toBeCloseTo(mean('any-bce') - mean('bce'), 12);
    expect(atDecision!.macroF1!.perSeed).toHaveLength(2);
  });

  test('stops drawing at decisions when time is up, but not before 100 draws', async () => {
    const tasks = { 'at 0.5': 0, 'at decisions': 0 };
    const { differences } = await compareRuns(readRuns([at('all/bce-1'), at('all/any-1')]), {
      replicates: 120,
      seconds: 0,
      onDraw: (task) => void tasks[task]++,
    });
    expect(differences[0]!.replicates).toBe(100);
    expect(tasks).toEqual({ 'at 0.5': 120, 'at decisions': 100 });
  });

  test('with a limit on missed positives shows how much is left for review', async () => {
    const decision = { budget: { falseAlarms: 0.2, missed: 0.2, confidence: null } } as const;
    const runs = readRuns([at('all/bce-1'), at('all/any-1')]);
    const comparison = await compareRuns(runs, { replicates: 0, decision });
    const [first] = comparison.groups;
    const run = runs.find(({ folder }) => folder === first!.folders[0])!;
    const threshold = fitDecision((await run.scores('validation'))!, { ...decision, candidates: 'adaptive' });
    const { reviewRate, missedRate } = measure((await run.scores('test'))!, { threshold });
    expect(first!.decided!.test).toMatchObject({
      reviewRate: { mean: reviewRate },
      missedRate: { mean: missedRate },
      negativesAlarmedByGroup: null,
    });
    const titles = comparisonTables(comparison)[0]!.table.columns.map(({ title }) => title);
    expect(titles).toEqual(expect.arrayContaining(['review', 'positives cleared']));
    expect(titles).not.toContain('alarms by group');
  });

  test('on validation keeps the images of a group in one fold', () => {
    const validation = {
      names: Array.from({ length: 60 }, (_, row) => `${row}.png`),
      groups: Array.from({ length: 60 }, (_, row) => `patient ${Math.floor(row / 3)}`),
      scores: Float64Array.from({ length: 60 }, (_, row) => ((row * 7) % 60) / 60),
      targets: Array.from({ length: 60 }, (_, row) => Number(row % 5 === 0)),
      classNames: ['crack'],
      split: 'validation',
    };
    // Groups that are divided are refused.
    const budget = { falseAlarms: 0.3, confidence: null };
    const labels = crossFitted(validation, { rule: 'gate', budget, beta: 1 });
    expect(labels!.scores).toHaveLength(60);
  });

  test('on validation decides each image by a decision fitted without it', async () => {
    // Scores without any skill: thresholds fitted on the same images would seem to find some.
    for (const seed of [1, 2, 3, 4]) writeSyntheticRun(at(`noise/${seed}`), run('bce', seed, 0));
    const runs = readRuns([at('noise')]);
    const decision = { budget: { falseAlarms: 0.5, confidence: null } } as const;
    const { groups } = await compareRuns(runs, { replicates: 0, decision });
    const fitted = await Promise.all(
      runs.map(async ({ scores }) => fitDecision((await scores('validation'))!, decision).report.macroFBeta),
    );
    const { mean } = groups[0]!.decided!.validation!.macroF1!;
    expect(mean).toBeLessThan(fitted.reduce((sum, value) => sum + value, 0) / 4 - 0.03);
  });

  test('assigns images to other folds with another number, whatever the order of the rows', async () => {
    const scored = (await readRun(at('all/any-1')).scores('validation'))!;
    const choice = { rule: 'gate', budget: { falseAlarms: 0.2, confidence: null }, beta: 1 } as const;
    const labels = (deal: number, images = scored) => crossFitted(images, choice, deal)!.scores;
    expect(labels(0)).toEqual(crossFitted(scored, choice)!.scores);
    expect(labels(1)).not.toEqual(labels(0));
    const width = scored.classNames.length;
    const reversed = <Values extends ArrayLike<number>>(values: Values) =>
      Float64Array.from(values, (_, i) => values[values.length - width - (i - (i % width)) + (i % width)]!);
    const turned = {
      ...scored,
      names: scored.names.toReversed(),
      scores: reversed(scored.scores),
      targets: reversed(scored.targets),
    };
    expect(reversed(labels(1, turned))).toEqual(Float64Array.from(labels(1)));
  });

  test('has the trade-off of F1 and false alarms on test, budget by budget', async () => {
    const runs = readRuns([at('all/bce-1'), at('all/bce-2')]);
    const { groups } = await compareRuns(runs, { replicates: 0 });
    const tradeOff = groups[0]!.decided!.tradeOff!;
    expect(tradeOff.map(({ budget }) => budget)).toEqual([
      0.005, 0.01, 0.02, 0.03, 0.05, 0.075, 0.1, 0.15, 0.2,
    ]);
    const budget = { falseAlarms: 0.2, confidence: null } as const;
    const metrics = await Promise.all(
      runs.map(async ({ scores }) =>
        measure((await scores('test'))!, {
          threshold: fitDecision((await scores('validation'))!, { budget }),
        }),
      ),
    );
    expect(tradeOff.at(-1)!.macroF1.values).toEqual(metrics.map(({ macroF1 }) => macroF1));
    expect(tradeOff.at(-1)!.falseAlarmRate.values).toEqual(metrics.map((each) => each.falseAlarmRate));
  });

  test('without negatives for a budget has metrics at 0.5 and a note', async () => {
    for (const loss of ['bce', 'any-bce'] as const) {
      writeSyntheticRun(at(`positive/${loss}`), run(loss, 1, 2));
      const path = at(`positive/${loss}/scores/validation-labels.csv`);
      const [header, ...lines] = readFileSync(path, 'utf8').trim().split('\n');
      const positive = lines.map((line) => line.replace(/,[01],/, ',1,'));
      writeFileSync(path, `${[header, ...positive].join('\n')}\n`);
    }
    const { groups, differences, notes, verdict } = await compareRuns(readRuns([at('positive')]), {
      replicates: 10,
    });
    expect(groups.map(({ decided }) => decided)).toEqual([null, null]);
    expect(differences[0]).toMatchObject({ atDecision: null, replicates: 0 });
    expect(notes).toEqual([
      expect.stringMatching(/any-bce is evaluated at 0\.5 only: .*no negatives/),
      expect.stringMatching(/bce is evaluated at 0\.5 only: .*no negatives/),
    ]);
    expect(verdict).toContain('at 0.5');
  });
});

test('an invalid budget is refused before anything else, above all before training', async () => {
  const decision = { budget: { falseAlarms: 5 } };
  for (const experiment of [compare, sweep]) {
    const made = experiment({ config: 'nowhere.json', out: at('never'), decision });
    await expect(made).rejects.toThrow('budget.falseAlarms is 5; expected a share from 0 to 1');
  }
});
