// Decide on a real run: exact numbers, saved decisions, and test behind its seal.

import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { fitDecision, measure, presenceOfRows, ROW_NEGATIVE } from '@anyclass/core';
import { thisProcess } from '@anyclass/files';
import type { DecideSetup, RunDetails, TestMetrics } from '@anyclass/studio';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { testFolder } from '../../../files/test/testFolder.js';
import { receivedScores } from '../../../studio/src/parts/scores.js';
import { comparedRuns } from '../../../studio/src/views/compare/engine.js';
import { budgetOf, settingsOf } from '../../../studio/src/views/decide/budgets.js';
import { decideEngine } from '../../../studio/src/views/decide/engine.js';
import { runInProcess } from '../../test/inProcess.js';
import { trainSmallRun } from '../../test/studioRun.js';
import { asked, cookieOf } from '../../test/studioRuns.js';
import { readModelRecord } from '../inference/modelRecord.js';
import { runScores } from '../runs/runScores.js';
import { scoreBytes } from './scoreTables.js';
import { openStudio, type StudioServer } from './studio.js';

const folder = testFolder();
const run = join(folder, 'digits');
let server: StudioServer;
let cookie: string;
beforeAll(async () => {
  await trainSmallRun(run);
  await trainSmallRun(join(folder, 'other'), 1);
  server = await openStudio([folder]);
  cookie = await cookieOf(server.url);
}, 120_000);
afterAll(async () => {
  await server.close();
});

const ask = (path: string, method = 'GET', body?: unknown) =>
  asked(server.url, path, {
    method,
    headers: { cookie },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
const setupOf = async (): Promise<DecideSetup> => JSON.parse((await ask('/api/decisions?run=digits')).body);

/** Bytes as a worker gets them. */
function transferred(bytes: Buffer): ArrayBuffer {
  return new Uint8Array(bytes).buffer;
}

test('what the handles show is what fitDecision and measure return, and what is saved is the same decision', async () => {
  const scored = await runScores(run, 'validation');
  const engine = decideEngine(transferred(scoreBytes(scored)));
  const { saved } = await setupOf();
  const own = saved[0]!.decision;
  const settings = settingsOf(own);
  for (const budget of [
    { falseAlarms: 0.1, missed: 0.1 },
    { falseAlarms: 0.2, missed: null },
  ]) {
    const judged = engine.judge(budget, settings, own, false);
    const { missed, ...alarms } = budget;
    const decision = fitDecision(scored, {
      budget: { ...alarms, ...(missed !== null && { missed }), confidence: 0.95 },
      candidates: 'adaptive',
    });
    const metrics = measure(scored, { threshold: decision, allowSameSplit: true });
    expect(judged.macroF1).toBe(metrics.macroF1);
    expect(judged.negatives[2] / metrics.negativeRows).toBe(metrics.negativesAlarmed);
    expect(judged.positives[0] / metrics.positiveRows).toBe(metrics.missedRate);
    const name = `test-${missed}`;
    expect((await ask('/api/decisions?run=digits', 'POST', { name, ...budget })).status).toBe(200);
    const written = readModelRecord(join(run, 'decisions', `${name}.safetensors`)).description;
    expect(written.decision).toEqual(decision);
    expect(written.decisionOrigin).toMatchObject({ data: 'validation', rows: 240 });
    // The command that the page copies.
    const limits = [
      '--false-alarms',
      `${budget.falseAlarms}`,
      ...(missed === null ? [] : ['--missed', `${missed}`]),
    ];
    const out = ['--candidates', 'adaptive', '--out', 'same.safetensors', '--force'];
    expect(await runInProcess(folder, ['refit', run, ...limits, ...out])).toMatchObject({ status: 0 });
    expect(readModelRecord(join(folder, 'same.safetensors')).description.decision).toEqual(decision);
  }
  expect(budgetOf(own)).toEqual({ falseAlarms: 0.05, missed: null });
});

test('evaluate says exactly what the handles show, for the same scores and budget', async () => {
  const { names, classNames, scores, targets } = await runScores(run, 'validation');
  const width = classNames.length;
  // Its rows by other names and the other way round: evaluate refuses to judge a decision on the rows that it was fitted on.
  const table = (name: string, values: ArrayLike<number>, prefix: string) => {
    const rows = names.map((row, i) =>
      [`${prefix}${row}`, ...Array.from(values).slice(i * width, (i + 1) * width)].join(','),
    );
    const shown = prefix === '' ? rows : rows.toReversed();
    writeFileSync(join(folder, name), [['Filename', ...classNames].join(','), ...shown, ''].join('\n'));
  };
  table('fit.csv', scores, '');
  table('fit-labels.csv', targets, '');
  table('judged.csv', scores, 'again-');
  table('judged-labels.csv', targets, 'again-');
  const engine = decideEngine(
    transferred(scoreBytes({ names, classNames, scores, targets, split: 'validation' })),
  );
  const { saved } = await setupOf();
  const own = saved[0]!.decision;
  for (const [falseAlarms, missed] of [
    [0.05, null],
    [0.1, 0.1],
    [0.3, 0.02],
  ] as const) {
    const tables = ['--scores', 'judged.csv', '--labels', 'judged-labels.csv'];
    const fit = ['--fit-scores', 'fit.csv', '--fit-labels', 'fit-labels.csv'];
    const limits = [
      '--false-alarms',
      `${falseAlarms}`,
      ...(missed === null ? [] : ['--missed', `${missed}`]),
    ];
    const words = ['evaluate', ...tables, ...fit, ...limits, '--replicates', '0', '--json'];
    const { stdout, stderr } = await runInProcess(folder, words);
    expect(stderr).not.toContain('anyclass:');
    const { decided } = JSON.parse(stdout);
    const shown = engine.judge({ falseAlarms, missed }, settingsOf(own), own, false);
    const { metrics } = decided;
    expect(shown.macroF1).toBe(metrics.macroF1);
    expect(shown.negatives[2] / metrics.negativeRows).toBe(metrics.negativesAlarmed);
    expect(shown.positives[0] / metrics.positiveRows).toBe(metrics.missedRate);
    const sides = [0, 1, 2].map((side) => (shown.negatives[side]! + shown.positives[side]!) / names.length);
    expect(sides).toEqual([decided.outcomes.clear, decided.outcomes.review, decided.outcomes.alarm]);
  }
});

test('with rows that were held back, the handles move on validation and the saved decision is promised', async () => {
  const held = join(folder, 'held');
  cpSync(run, held, { recursive: true });
  rmSync(join(held, 'decisions'), { recursive: true, force: true });
  for (const name of ['', '-labels'])
    cpSync(join(run, `scores/validation${name}.csv`), join(held, `scores/decision${name}.csv`));
  await using second = await openStudio([folder]);
  const headers = { cookie: await cookieOf(second.url) };
  const setup: DecideSetup = JSON.parse(
    (await asked(second.url, '/api/decisions?run=held', { headers })).body,
  );
  expect(setup).toMatchObject({ fittingSplit: 'decision', candidates: 1 });
  const body = JSON.stringify({ name: 'sure', falseAlarms: 0.1, missed: null });
  expect((await asked(second.url, '/api/decisions?run=held', { method: 'POST', headers, body })).status).toBe(
    200,
  );
  const { decision } = readModelRecord(join(held, 'decisions/sure.safetensors')).description;
  expect(decision).toMatchObject({
    fittedOn: 'decision',
    report: { guarantee: { holds: true, rate: 0.1, candidates: 1 } },
  });
  rmSync(held, { recursive: true });
});

test('refit without data needs a run', async () => {
  const refit = (...words: string[]) =>
    runInProcess(folder, ['refit', ...words, '--out', 'none.safetensors']);
  expect(await refit('same.safetensors')).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('--scores'),
  });
  expect(await refit(run, '--split', 'test')).toMatchObject({ status: 2 });
  expect(await refit(run, '--candidates', 'many')).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('adaptive'),
  });
  expect(existsSync(join(folder, 'none.safetensors'))).toBe(false);
});

test('rows that change sides are counted, and shown closest to the handles first', async () => {
  const scored = await runScores(run, 'validation');
  const engine = decideEngine(transferred(scoreBytes(scored)));
  const { saved } = await setupOf();
  const own = saved[0]!.decision;
  const asSaved = engine.judge(budgetOf(own), settingsOf(own), own, true);
  expect(asSaved.moves).toEqual([]);
  const wider = engine.judge({ falseAlarms: 0.25, missed: null }, settingsOf(own), own, false);
  const kinds = presenceOfRows(scored.targets, scored.classNames.length);
  const moved = wider.moves.filter(({ isPositive }) => !isPositive);
  expect(moved).toEqual([
    { isPositive: false, from: 0, to: 2, count: wider.negatives[2] - asSaved.negatives[2] },
  ]);
  expect(wider.shown.length).toBe(16);
  for (const { row, isPositive } of wider.shown) expect(isPositive).toBe(kinds[row] !== ROW_NEGATIVE);
  expect(Array.from(wider.bins).reduce((sum, count) => sum + count)).toBe(240);
});

test('groups and unknown labels arrive as they are saved', () => {
  const scored = {
    names: ['a', 'b', 'c'],
    classNames: ['x', 'y'],
    scores: new Float64Array([0.9, 0.1, 0.2, 0.3, 0.4, 0.5]),
    targets: [1, Number.NaN, 0, 0, 0.5, 0],
    groups: ['g', 'h', 'g'],
    split: 'validation',
  };
  expect(receivedScores(transferred(scoreBytes(scored))).header.classNames).toEqual(['x', 'y']);
  const engine = decideEngine(transferred(scoreBytes(scored)));
  expect(engine.loaded).toMatchObject({ rows: 3, negatives: 1 });
});

describe('test metrics', () => {
  test('are of a saved decision only; what is saved after they were seen is marked', async () => {
    expect((await ask('/api/scores?run=digits&split=test')).status).toBe(400);
    expect((await setupOf()).testSeen).toBe(null);
    const opened: TestMetrics = JSON.parse(
      (await ask('/api/decisions/test?run=digits', 'POST', { name: '' })).body,
    );
    const own = readModelRecord(run).description.decision!;
    expect(opened.metrics).toEqual(
      JSON.parse(JSON.stringify(measure(await runScores(run, 'test'), { threshold: own }))),
    );
    expect(opened.isAfterTest).toBe(false);
    await ask('/api/decisions?run=digits', 'POST', { name: 'later', falseAlarms: 0.15, missed: null });
    const { saved, testSeen } = await setupOf();
    expect(testSeen).toBe(opened.seen);
    expect(saved.filter(({ isAfterTest }) => isAfterTest).map(({ name }) => name)).toEqual(['later']);
  });

  test('a name that is taken, a wrong name and a budget that cannot be promised are refused, and nothing is written', async () => {
    const before = readdirSync(join(run, 'decisions'));
    const refused = async (body: unknown) => {
      const answer = await ask('/api/decisions?run=digits', 'POST', body);
      expect(answer.status).toBeGreaterThanOrEqual(400);
      return JSON.parse(answer.body).detail;
    };
    expect(await refused({ name: 'later', falseAlarms: 0.2, missed: null })).toContain('already exists');
    expect(await refused({ name: '../later', falseAlarms: 0.2, missed: null })).toContain('name');
    expect(await refused({ name: 'small', falseAlarms: 0.001, missed: null })).toContain('too few');
    writeFileSync(
      join(run, 'decisions/lock'),
      JSON.stringify({
        ...thisProcess(),
        pid: process.ppid,
        host: hostname(),
        started: startOf(process.ppid),
      }),
    );
    expect(await refused({ name: 'other', falseAlarms: 0.2, missed: null })).toContain(
      'another window or server',
    );
    rmSync(join(run, 'decisions/lock'));
    expect(readdirSync(join(run, 'decisions'))).toEqual(before);
  });
});

/** When a process started, as locks say it. */
function startOf(pid: number): string {
  if (!existsSync('/proc/self/stat')) return '';
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
}

test('the page of the run counts finds and false alarms as the handles do: by presence, under whatever name', async () => {
  const scored = await runScores(run, 'validation');
  const { saved } = await setupOf();
  const own = saved[0]!.decision;
  const judged = decideEngine(transferred(scoreBytes(scored))).judge(
    { falseAlarms: 0.05, missed: null },
    settingsOf(own),
    own,
    true,
  );
  // An alarm may name no class, so what is predicted says nothing about it.
  const summary = join(run, 'summary.json');
  const text = readFileSync(summary, 'utf8');
  const changed = JSON.parse(text);
  Object.assign(changed.test.decided.validation, { recallAny: 0, falseAlarmRate: 0 });
  writeFileSync(summary, JSON.stringify(changed));
  const details: RunDetails = JSON.parse((await ask('/api/run?run=digits')).body);
  writeFileSync(summary, text);
  expect(judged.positives[2]).toBeGreaterThan(0);
  expect(details.verdict).toMatchObject({ found: judged.positives[2], falseAlarms: judged.negatives[2] });
  expect(details.row.decidedFalseAlarms).toBe(judged.negatives[2] / details.verdict!.negatives);
});

test('pictures are of the rows, and data outside of the folders is named with the way to show it', async () => {
  const { status, headers } = await ask('/api/picture?run=digits&row=3&side=64');
  expect([status, headers['content-type']]).toEqual([200, 'image/webp']);
  expect((await ask('/api/picture?run=digits&row=100000')).status).toBe(422);
  const config = join(run, 'config.json');
  const text = readFileSync(config, 'utf8');
  const elsewhere = testFolder();
  writeFileSync(join(elsewhere, 'labels.csv'), 'Filename,x\na.png,1\n');
  const record = JSON.parse(text);
  record.configuration.data = { ...record.configuration.data, dataset: join(elsewhere, 'labels.csv') };
  writeFileSync(config, JSON.stringify(record));
  const refused = await ask('/api/picture?run=digits&row=3');
  expect([refused.status, JSON.parse(refused.body).detail]).toEqual([
    422,
    expect.stringMatching(/outside of the folders.*anyclass studio /),
  ]);
  writeFileSync(config, text);
});

describe('compare', () => {
  const comparedRun = async (id: string, seed: number) => ({
    id,
    seed,
    validation: transferred(scoreBytes(await runScores(join(folder, id), 'validation'))),
    test: null,
  });

  test('two runs on the same rows: differences are those of measure, and images are where they disagree', async () => {
    const [first, second] = [await comparedRun('digits', 0), await comparedRun('other', 1)];
    const question = { turn: 1, first: [first], second: [second], budget: 0.1, replicates: 60, seconds: 60 };
    const compared = comparedRuns(question);
    const at = async (id: string) => {
      const scored = await runScores(join(folder, id), 'validation');
      const decision = fitDecision(scored, { budget: { falseAlarms: 0.1 }, candidates: 'adaptive' });
      return measure(scored, { threshold: decision, allowSameSplit: true });
    };
    const [one, two] = [await at('digits'), await at('other')];
    const f1 = compared.metrics.find(({ name }) => name === 'F1 at the budget');
    expect(f1).toMatchObject({ first: one.macroF1, second: two.macroF1, seeds: [] });
    const found = compared.metrics.find(({ name }) => name === 'positives found')!;
    expect(found).toMatchObject({ first: 1 - one.missedRate!, second: 1 - two.missedRate! });
    expect(found.value).toBeCloseTo(one.missedRate! - two.missedRate!, 12);
    expect(found.low <= found.value && found.value <= found.high).toBe(true);
    const alarms = compared.metrics.find(({ name }) => name === 'false alarms');
    expect(alarms).toMatchObject({ first: one.negativesAlarmed, second: two.negativesAlarmed });
    expect(compared.classes.map(({ f1: each }) => each?.second)).toEqual(two.perClassF1);
    // Positives that alarm in one run and not in the other.
    const change = compared.images.map(({ kind, count }) =>
      kind === 'newly found' ? count : kind === 'newly missed' ? -count : 0,
    );
    const outcomes = (metrics: typeof one) =>
      Math.round((1 - (metrics.missedRate ?? 0)) * metrics.positiveRows);
    expect(change.reduce((sum, count) => sum + count)).toBe(outcomes(two) - outcomes(one));
    const other = {
      ...second,
      validation: transferred(
        scoreBytes({
          ...(await runScores(join(folder, 'other'), 'validation')),
          names: Array(240).fill('x'),
        }),
      ),
    };
    expect(() => comparedRuns({ ...question, second: [other] })).toThrow(/different images/);
  });

  test('rows of test are sent only after it was noted that test is open', async () => {
    const scores = () => ask('/api/scores?run=other&split=test');
    expect((await scores()).status).toBe(400);
    expect((await ask('/api/picture?run=other&split=test&row=0')).status).toBe(400);
    expect(
      (await ask('/api/test/open', 'POST', { runs: ['other', 'nowhere'], view: 'compare' })).status,
    ).toBe(404);
    expect((await scores()).status).toBe(400);
    expect((await ask('/api/test/open', 'POST', { runs: ['other'], view: 'compare' })).status).toBe(200);
    expect((await scores()).status).toBe(200);
    expect(readFileSync(join(folder, 'other/decisions/test-seen.jsonl'), 'utf8')).toContain(
      'a comparison of runs',
    );
  });

  test('of a run that was deleted meanwhile nothing is shown or saved, and its folder stays away', async () => {
    const gone = join(folder, 'gone');
    cpSync(join(folder, 'other'), gone, { recursive: true });
    const late = await openStudio([folder]);
    try {
      const headers = { cookie: await cookieOf(late.url) };
      rmSync(gone, { recursive: true });
      const posted: readonly [path: string, body: unknown][] = [
        ['/api/test/open', { runs: ['gone'], view: 'compare' }],
        ['/api/decisions?run=gone', { name: 'one', falseAlarms: 0.2, missed: null }],
        ['/api/decisions/test?run=gone', { name: '' }],
        ['/api/mend/train?run=gone', {}],
        ['/api/run/archive?run=gone', {}],
      ];
      for (const [path, body] of posted) {
        const answer = await asked(late.url, path, { method: 'POST', headers, body: JSON.stringify(body) });
        expect([path, answer.status, answer.body]).toEqual([
          path,
          404,
          expect.stringContaining('gone was deleted'),
        ]);
      }
      for (const path of ['/api/run', '/api/run/log', '/api/scores', '/api/look/table', '/api/mend']) {
        const { status } = await asked(late.url, `${path}?run=gone`, { headers });
        expect([path, status]).toEqual([path, 404]);
      }
      expect(existsSync(gone)).toBe(false);
    } finally {
      await late.close();
    }
  });
});
