// What is promised, from a table with patients to evaluate and predict, as a user would ask for it.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { budgetForCosts, fitDecision, NumpyRandom, percentNeeded, promisable } from '@anyclass/core';
import { beforeAll, describe, expect, test } from 'vitest';
import { testFolder } from '../../../files/test/testFolder.js';
import { runInProcess } from '../../test/inProcess.js';
import { compareRuns } from '../experiments/comparison.js';
import { readRuns } from '../experiments/readRuns.js';
import { loadModel } from '../runs/modelFile.js';
import { runScores } from '../runs/runScores.js';
import { trainRun } from '../training/trainRun.js';

const folder = testFolder();
const at = (name: string) => join(folder, name);
const evaluated = async (...words: string[]) => {
  const { status, stdout, stderr } = await runInProcess(folder, ['evaluate', ...words, '--json']);
  expect([status, stderr]).toEqual([0, expect.not.stringContaining('anyclass:')]);
  return JSON.parse(stdout);
};

/** Box and Muller's method. */
function normal(random: NumpyRandom): number {
  return Math.sqrt(-2 * Math.log(1 - random.random())) * Math.cos(2 * Math.PI * random.random());
}

/** Patients with 1 to 4 rows each; a quarter of the rows is positive, and rows of a patient are alike. */
function patients(split: string, count: number, random: NumpyRandom) {
  return Array.from({ length: count }, (_, patient) => {
    const own = normal(random);
    return Array.from({ length: 1 + (patient % 4) }, (_, i) => {
      const isPositive = random.random() < 0.25;
      const score = 1 / (1 + Math.exp(2 - 3 * Number(isPositive) - own - 0.5 * normal(random)));
      return { name: `${split}-${patient}-${i}`, patient: `${split} ${patient}`, isPositive, score };
    });
  }).flat();
}

const random = new NumpyRandom(7);
const fit = patients('fit', 240, random);
const judged = patients('judged', 200, random);

beforeAll(() => {
  for (const [name, rows] of Object.entries({ fit, judged })) {
    const scores = rows.map((row) => `${row.name},${row.score}`);
    const labels = rows.map((row) => `${row.name},${row.patient},${Number(row.isPositive)}`);
    writeFileSync(at(`${name}.csv`), `Filename,crack\n${scores.join('\n')}\n`);
    writeFileSync(at(`${name}-labels.csv`), `Filename,patient,crack\n${labels.join('\n')}\n`);
  }
});

const tables = [
  ...['--scores', 'judged.csv', '--labels', 'judged-labels.csv'],
  ...['--fit-scores', 'fit.csv', '--fit-labels', 'fit-labels.csv'],
  ...['--group-column', 'patient', '--replicates', '0'],
];

describe('evaluate with scores', () => {
  test('promises over one negative a patient, and says so', async () => {
    const { decided } = await evaluated(...tables, '--missed', '5%');
    const scored = {
      scores: Float64Array.from(fit, ({ score }) => score),
      targets: fit.map(({ isPositive }) => Number(isPositive)),
      classNames: ['crack'],
      split: 'fit.csv',
      groups: fit.map(({ patient }) => patient),
    };
    const expected = fitDecision(scored, { budget: { falseAlarms: 0.05, missed: 0.05 } });
    expect(decided).toMatchObject({
      unit: 'image',
      groups: 240,
      presence: expected.presence,
      clear: expected.clear,
      candidates: 1,
      shared: { rows: 0 },
      report: {
        guarantee: { holds: true, rate: 0.05, unit: 'image' },
        triage: { guarantee: { holds: true } },
      },
    });
    const { clear, review, alarm } = decided.outcomes;
    expect(clear + review + alarm).toBeCloseTo(1, 12);
    const { metrics, workload } = decided;
    expect(workload).toMatchObject({ prevalence: null, alarm: expect.closeTo(1000 * alarm, 9) });
    for (const key of ['missedRate', 'falseAlarmRateByGroup', 'negativesAlarmed'])
      expect(metrics[key]).toBeGreaterThan(0);
  });

  test('promises for whole patients with --per group', async () => {
    const { decided } = await evaluated(...tables, '--per', 'group', '--false-alarms', '10%');
    expect(decided).toMatchObject({ unit: 'group', report: { guarantee: { holds: true, unit: 'group' } } });
    expect(decided.clear).toBeNull();
    const { status, stderr } = await runInProcess(folder, [
      'evaluate',
      ...tables.filter((word) => word !== '--group-column' && word !== 'patient'),
      ...['--per', 'group'],
    ]);
    expect([status, stderr]).toEqual([2, expect.stringContaining('--per group requires --group-column')]);
  });

  test('says how much work it makes at another prevalence', async () => {
    const { decided } = await evaluated(...tables, '--missed', '0.05', '--prevalence', '2%');
    const { workload, metrics } = decided;
    expect(workload.prevalence).toBe(0.02);
    const alarms = 20 * share(judged, decided, true) + 980 * metrics.negativesAlarmed;
    expect(workload.alarm).toBeCloseTo(alarms, 9);
    const { stdout } = await runInProcess(folder, [
      'evaluate',
      ...tables,
      '--missed',
      '5%',
      '--prevalence',
      '2%',
    ]);
    expect(stdout).toMatch(/^of 1,000 with 2\.00% positives: \d+ clear, \d+ review, \d+ alarm$/m);
    expect(stdout).toMatch(/^outcomes on .*% clear, .*% review, .*% alarm; /m);
    expect(stdout).toMatch(
      /^seen on .* of negatives alarm and .* of positives are cleared, counting each group/m,
    );
    // Of the judged patients, not of those of the fit: a refit would rest on them.
    const withOne = (isPositive: boolean) =>
      new Set(judged.flatMap((row) => (row.isPositive === isPositive ? [row.patient] : []))).size;
    expect(decided.judgedGroups).toEqual({ negatives: withOne(false), positives: withOne(true) });
    const bought = promisable(withOne(false) + 1000).smallestRate;
    expect(stdout).toContain(
      `1,000 more labeled groups with a negative: ${percentNeeded(bought)} could be promised`,
    );
    expect(stdout).toMatch(/^1,000 more labeled groups with a positive: [\d.]+% could be promised/m);
  });

  test('turns costs into the budget that minimizes them, and calls it approximate', async () => {
    const costs = ['--cost-miss', '50', '--cost-alarm', '1'];
    const { decided } = await evaluated(...tables, ...costs, '--prevalence', '2%');
    const scored = {
      scores: Float64Array.from(fit, ({ score }) => score),
      targets: fit.map(({ isPositive }) => Number(isPositive)),
      classNames: ['crack'],
      groups: fit.map(({ patient }) => patient),
    };
    const expected = budgetForCosts(scored, { miss: 50, alarm: 1, prevalence: 0.02 });
    expect(decided).toMatchObject({
      costs: { miss: 50, alarm: 1, ...expected },
      budget: { falseAlarms: expected.falseAlarms },
      candidates: 'adaptive',
      report: { guarantee: { holds: false, reason: 'adaptive choice' } },
    });
    expect(expected.low).toBeLessThanOrEqual(expected.falseAlarms);
    const { stdout } = await runInProcess(folder, ['evaluate', ...tables, ...costs]);
    expect(stdout).toMatch(/where a miss costs 50, a false alarm 1 and .*, the cheapest budget is .*% false/);
    const refused = await runInProcess(folder, ['evaluate', ...tables, ...costs, '--false-alarms', '2%']);
    expect([refused.status, refused.stderr]).toEqual([2, expect.stringContaining('--false-alarms')]);
    const perGroup = await runInProcess(folder, ['evaluate', ...tables, ...costs, '--per', 'group']);
    expect([perGroup.status, perGroup.stderr]).toEqual([
      2,
      expect.stringContaining('costs, which count images'),
    ]);
  });

  test('withholds the promise if rows of the fit are judged, by name or by patient', async () => {
    const renamed = judged.map((row, i) => (i < 3 ? { ...row, patient: fit[i]!.patient } : row));
    const labels = renamed.map((row) => `${row.name},${row.patient},${Number(row.isPositive)}`);
    writeFileSync(at('shared-labels.csv'), `Filename,patient,crack\n${labels.join('\n')}\n`);
    const words = tables.map((word) => (word === 'judged-labels.csv' ? 'shared-labels.csv' : word));
    const { decided } = await evaluated(...words);
    expect(decided).toMatchObject({
      shared: { rows: 3, byName: 0, byGroup: 3 },
      report: { guarantee: { holds: false, reason: 'shared rows' } },
    });
    const { stdout } = await runInProcess(folder, ['evaluate', ...words, '--missed', '10%']);
    expect(stdout).toMatch(
      /^3 of \d+ evaluated rows are known to the model or to the fit of its decision, by name, contents or group/m,
    );
    expect(stdout).not.toContain('on new data of the same kind');
    expect(stdout).not.toContain('hold together');
    expect(stdout).not.toContain('could be promised');
  });
});

/** The share of positives, or of negatives, that alarm. */
function share(rows: typeof judged, { presence }: { presence: number }, isPositive: boolean): number {
  const chosen = rows.filter((row) => row.isPositive === isPositive);
  return chosen.filter(({ score }) => -Math.log1p(-score) >= presence).length / chosen.length;
}

describe('a run on patients', () => {
  const configuration = {
    data: { dataset: at('patients.csv'), columns: { group: 'patient' } },
    network: { name: 'linear' },
    optimizer: { rate: 0.05 },
    epochs: 3,
    finalWeights: 'last',
    device: 'cpu',
    evaluation: { replicates: 0, calibration: 'platt', decision: { falseAlarms: 0.1, missed: 0.1 } },
  } as const;
  const description = () => {
    const model = loadModel(at('run'));
    model.network.dispose();
    return model.description;
  };
  beforeAll(async () => {
    const generator = new NumpyRandom(3);
    const rows = [
      ...['train', 'validation', 'test'].flatMap((split) =>
        patients(split, 160, generator).map((row) => ({ ...row, split })),
      ),
    ].map(
      ({ name, split, patient, isPositive, score }) =>
        `${name},${split},${patient},${Number(isPositive)},${Math.log(score / (1 - score))}`,
    );
    writeFileSync(at('patients.csv'), `Filename,split,patient,crack,feature_0\n${rows.join('\n')}\n`);
    await trainRun(configuration, { run: at('run') });
  }, 60_000);

  test('saves the patients with its scores, and promises for them', async () => {
    const validation = await runScores(at('run'), 'validation');
    expect(new Set(Array.from(validation.groups ?? [])).size).toBe(160);
    const { configuration: _, ...record } = JSON.parse(readFileSync(at('run/config.json'), 'utf8'));
    expect(record.groups).toEqual({ column: 'patient', count: 480 });
    const known = description();
    expect(known).toMatchObject({
      epoch: 3,
      decision: {
        candidates: 1,
        report: { groups: 160, guarantee: { holds: true, rate: 0.1, candidates: 1 } },
      },
    });
    // A calibration fitted on validation does not rank the rows of its gate.
    if (known.calibration) expect(known.decision?.presenceFrom).toBe('given');
    const refitted = fitDecision(validation, { budget: { falseAlarms: 0.1, missed: 0.1 } });
    expect(refitted).toEqual(known.decision);
  });

  test('is judged by evaluate as by training, also with another budget', async () => {
    const summary = JSON.parse(readFileSync(at('run/summary.json'), 'utf8'));
    const own = await evaluated('run', '--device', 'cpu', '--replicates', '0');
    expect(own.decided.metrics).toEqual(summary.test.decided.metrics);
    expect(own.decided).toMatchObject({
      groups: 160,
      shared: { rows: 0 },
      report: { guarantee: { holds: true } },
    });
    const priced = await evaluated('run', '--replicates', '0', '--cost-miss', '5', '--cost-alarm', '1');
    expect(priced.decided.costs).toMatchObject({ miss: 5, alarm: 1, prevalence: expect.any(Number) });
    const other = await evaluated('run', '--device', 'cpu', '--replicates', '0', '--false-alarms', '8%');
    expect(other.decided).toMatchObject({
      groups: 160,
      report: { guarantee: { holds: true, rate: 0.08, groups: expect.any(Number) } },
    });
  });

  test('counts what was compared, wherever the promise is printed', async () => {
    const counted = await evaluated('run', '--device', 'cpu', '--replicates', '0', '--candidates', '6');
    expect(counted.decided).toMatchObject({
      candidates: 6,
      budget: { falseAlarms: 0.1, missed: 0.1 },
      report: { guarantee: { holds: true, candidates: 6 } },
    });
    const { decision } = description();
    expect(counted.decided.presence).toBeGreaterThan(decision?.presence ?? Number.NaN);
    const quiet = ['predict', 'run', 'patients.csv', '--out', 'counted.csv', '--force'];
    const { stderr } = await runInProcess(folder, [...quiet, '--candidates', '6']);
    expect(stderr).toMatch(/On new data like validation, at most 10% of negatives alarm.*6 candidates were/);
    const own = await runInProcess(folder, quiet);
    expect(own.stderr).toMatch(/On new data like validation, at most 10% of negatives alarm/);
  });

  test('chosen by a search, it says that its limit is approximate', async () => {
    await trainRun(
      { ...configuration, evaluation: { ...configuration.evaluation, decision: { candidates: 'adaptive' } } },
      { run: at('searched') },
    );
    for (const words of [[], ['--false-alarms', '10%'], ['--candidates', '6']]) {
      const { decided } = await evaluated('searched', '--replicates', '0', ...words);
      expect(decided).toMatchObject({
        candidates: 'adaptive',
        report: { guarantee: { holds: false, reason: 'adaptive choice' } },
      });
    }
    const { stderr } = await runInProcess(folder, [
      'predict',
      'searched',
      'patients.csv',
      '--out',
      'searched.csv',
    ]);
    expect(stderr).toContain('The limit on false alarms is approximate');
    expect(stderr).not.toContain('confidence');
  });

  test('fits its decision on rows that are held back, which chose nothing', async () => {
    await trainRun(
      {
        ...configuration,
        data: { ...configuration.data, draw: { shares: [0.3, 0.2, 0.2, 0.3], seed: 1 } },
        finalWeights: 'best',
        evaluation: {
          ...configuration.evaluation,
          decision: { falseAlarms: 0.1, missed: 0.1, candidates: 'adaptive' },
        },
      },
      { run: at('held') },
    );
    const held = await runScores(at('held'), 'decision');
    const patientsOf = (rows: typeof held) => new Set(Array.from(rows.groups ?? [], String));
    expect(patientsOf(held).size).toBeGreaterThan(100);
    for (const split of ['validation', 'test'] as const) {
      const others = patientsOf(await runScores(at('held'), split));
      expect([...patientsOf(held)].filter((patient) => others.has(patient))).toEqual([]);
    }
    const own = await evaluated('held', '--replicates', '0');
    expect(own.decided).toMatchObject({
      fittedOn: 'decision',
      candidates: 1,
      shared: { rows: 0 },
      report: { guarantee: { holds: true, rate: 0.1, candidates: 1 } },
    });
    const expected = fitDecision(held, { budget: { falseAlarms: 0.08 } });
    const other = await evaluated('held', '--replicates', '0', '--false-alarms', '8%');
    expect(other.decided).toMatchObject({ presence: expected.presence, fittedOn: 'decision', candidates: 1 });
    const { groups } = await compareRuns(readRuns([at('held')]), { replicates: 0 });
    expect(groups[0]!.decided).toMatchObject({ fittedOn: 'decision', guarantee: { holds: true } });
  });

  test('answers for patients, by what was promised for them', async () => {
    const words = ['predict', 'run', 'patients.csv', '--force', '--out', 'images.csv'];
    const grouped = [...words, '--group-column', 'patient', '--groups-out', 'answers.csv'];
    const { status, stderr } = await runInProcess(folder, [...grouped, '--per', 'group', '--missed', '10%']);
    expect([status, stderr]).toEqual([0, expect.stringContaining('480 groups in answers.csv')]);
    // The limit on false alarms was not named, so it stays the run's own.
    expect(stderr).toMatch(/at most 10% of groups without positives get an alarm/);
    const rows = readFileSync(at('images.csv'), 'utf8').trimEnd().split('\n');
    expect(rows[0]).toBe('Filename,group,crack,outcome,labels');
    const [header, ...lines] = readFileSync(at('answers.csv'), 'utf8').trimEnd().split('\n');
    expect(header).toBe('group,images,unreadable,outcome,presence,labels');
    const order = ['clear', 'review', 'alarm'];
    for (const line of lines) {
      const [group, images, , outcome, , labels] = line.split(',');
      const own = rows.map((row) => row.split(',')).filter((cells) => cells[1] === group);
      expect(own).toHaveLength(Number(images));
      expect(outcome).toBe(order[Math.max(...own.map((cells) => order.indexOf(cells[3]!)))]);
      expect(labels).toBe(own.some((cells) => cells[4] === 'crack') ? 'crack' : 'negative');
    }
    const ofImages = await runInProcess(folder, grouped);
    expect(ofImages.stderr).toContain('nothing is promised about whole groups');
    const refused = await runInProcess(folder, [...words, '--group-column', 'patient']);
    expect([refused.status, refused.stderr]).toEqual([2, expect.stringContaining('--groups-out')]);
  });

  test('predicts outcomes, and only those that are asked for', async () => {
    const words = ['predict', 'run', 'patients.csv', '--force'];
    const { status } = await runInProcess(folder, [...words, '--out', 'all.csv']);
    expect(status).toBe(0);
    const [header, ...lines] = readFileSync(at('all.csv'), 'utf8').trimEnd().split('\n');
    expect(header).toBe('Filename,crack,outcome,labels');
    const outcomeOf = (line: string) => line.split(',')[2];
    expect([...new Set(lines.map(outcomeOf))].sort()).toEqual(['alarm', 'clear', 'review']);
    const expected = lines.filter((line) => outcomeOf(line) === 'review');
    const review = await runInProcess(folder, [...words, '--out', 'review.csv', '--outcome', 'review']);
    expect(review.stderr).toContain(`${expected.length} of 1,200 rows: review`);
    expect(readFileSync(at('review.csv'), 'utf8').trimEnd().split('\n').slice(1)).toEqual(expected);
    const other = [...words, '--out', 'x.csv', '--outcome', 'review', '--false-alarms', '4%'];
    const kept = await runInProcess(folder, other);
    expect(kept.stderr).toMatch(/at most 4% of negatives alarm[\s\S]*at most 10% of positives are cleared/);
    const refused = await runInProcess(folder, [...other, '--missed', 'none']);
    expect([refused.status, refused.stderr]).toEqual([2, expect.stringContaining('--outcome')]);
  });
});
