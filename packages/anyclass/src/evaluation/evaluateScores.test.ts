import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { testFolder } from '../../../files/test/testFolder.js';
import { evaluationPage } from '../reports/evaluationReport.js';
import { judgmentText } from '../reports/judgmentText.js';
import { joinTables, readTable } from '../runs/scoreFiles.js';
import { readClassImportance } from './classImportance.js';
import { evaluateScores } from './evaluateScores.js';
import { judge } from './judge.js';

const folder = testFolder();
const file = (name: string, text: string) => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};

const scores = file('scores.csv', 'Filename,crack,roots\nb,0.6,0.1\na,0.9,0.2\nc,0.3,0.7\n');
const labels = file('labels.csv', 'Filename,crack,roots\na,1,0\nb,0,0\nc,0,1\n');

test('saved scores are evaluated with all metrics and intervals', async () => {
  const { metrics, intervals, decided } = await evaluateScores({ scores, labels, replicates: 50 });
  expect(metrics.macroF1).toBeCloseTo(5 / 6, 12);
  expect(metrics.perClassAP).toEqual([1, 1]);
  expect(intervals?.overall.macroF1?.low).toBeLessThanOrEqual(metrics.macroF1);
  expect(decided).toBeUndefined();
});

test('a decision is fitted on other data within the budget, and refused on the same data', async () => {
  const other = file('other.csv', 'Filename,crack,roots\nd,0.7,0.2\ne,0.65,0.6\nf,0.1,0.1\n');
  const otherLabels = file('other-labels.csv', 'Filename,crack,roots\nd,1,0\ne,0,1\nf,0,0\n');
  const shared = { scores, labels, replicates: 0 };
  const fit = { fitScores: other, fitLabels: otherLabels };
  const plain = { budget: { falseAlarms: 0.05, confidence: null }, kappa: 0 } as const;
  const { decided, calibrated } = await evaluateScores({ ...shared, ...fit, decision: plain });
  expect(decided).toMatchObject({ rule: 'gate', thresholds: [0.7, 0.6], fittedOn: other });
  expect(decided?.metrics).toMatchObject({ macroF1: 1, falseAlarmRate: 0 });
  expect(decided?.validation).toMatchObject({ macroF1: 1, falseAlarmRate: 0 });
  expect(calibrated).toBeUndefined();
  const fixed = { rule: 'fixed', threshold: 0.65 } as const;
  const atFixed = await evaluateScores({ ...shared, ...fit, decision: fixed });
  expect(atFixed.decided).toMatchObject({ rule: 'fixed', presence: 0, thresholds: [0.65, 0.65] });
  const { decided: promised } = await evaluateScores({ ...shared, ...fit });
  expect(promised?.report?.guarantee).toMatchObject({ holds: false, reason: 'too few negatives' });
  const copy = file('copy.csv', readFileSync(scores, 'utf8'));
  for (const fitScores of [scores, copy]) {
    await expect(evaluateScores({ ...shared, fitScores, fitLabels: labels })).rejects.toThrow(
      `${fitScores} holds the data being evaluated`,
    );
  }
});

test('F2-CIW weights each class by its name, whatever the order of the columns', async () => {
  const weights = readClassImportance(file('weights.json', '{ "roots": 3, "crack": 1, "other": 9 }'));
  const judged = await evaluateScores({ scores, labels, replicates: 0, classImportance: weights });
  const [crack = 0, roots = 0] = judged.metrics.perClassF2;
  expect(crack).not.toBe(roots);
  expect(judged.metrics.f2Ciw).toBeCloseTo((crack + 3 * roots) / 4, 12);
  const listed = await evaluateScores({ scores, labels, replicates: 0, classImportance: [1, 3] });
  expect(listed.metrics.f2Ciw).toBe(judged.metrics.f2Ciw);
  expect(judgmentText(judged)).toContain('F2-CIW');
});

test('a class importance that is damaged or lacks a class is refused, and named', async () => {
  expect(readClassImportance('sewerml')['OS']).toBe(0.9009);
  await expect(
    evaluateScores({ scores, labels, classImportance: readClassImportance('sewerml') }),
  ).rejects.toThrow("no weight for 'crack'");
  expect(() => readClassImportance('sewer')).toThrow(/sewer: no such file; expected sewerml/);
  expect(() => readClassImportance(file('bad.json', '{ "crack": -1 }'))).toThrow(/bad\.json: class 'crack'/);
  expect(() => readClassImportance(file('list.json', '[1, 2]'))).toThrow(/list\.json: .*"CLASS": WEIGHT/);
});

test('labels that are all unknown are refused, also for fitting', async () => {
  const none = file('none.csv', 'Filename,crack,roots\na,,\nb,,\nc,,\n');
  await expect(evaluateScores({ scores, labels: none })).rejects.toThrow(`${none}: holds no labels`);
  await expect(evaluateScores({ scores, labels, fitScores: scores, fitLabels: none })).rejects.toThrow(
    `${none}: holds no labels`,
  );
});

test('the text and the page show every class and the main metrics', async () => {
  const judgment = await evaluateScores({ scores, labels, replicates: 20 });
  expect(judgmentText(judgment)).toMatch(/F1 +83.33 \(.* to .*\)[\s\S]*roots/);
  expect(evaluationPage('a <b>', judgment)).toContain('<title>a &lt;b&gt;, evaluations</title>');
});

test('a value that is not a probability is refused, with its row and class', () => {
  const scored = { scores: new Float64Array([1.5]), targets: [1], classNames: ['crack'] };
  expect(() => judge(scored, { replicates: 0 })).toThrow('row 0, class crack is 1.5; expected a probability');
});

test.each(['index.js', 'commands/index.js'])('importing %s does not load libtorch', (module) => {
  const path = resolve(import.meta.dirname, '../../dist', module);
  const program = `await import(${JSON.stringify(path)});
    const { isEngineLoaded } = await import('@anyclass/torch');
    console.log(isEngineLoaded());`;
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
    cwd: import.meta.dirname,
    encoding: 'utf8',
  });
  expect({ stdout, stderr }).toEqual({ stdout: 'false\n', stderr: '' });
});

test('a page without any false alarm still says how many there may be', async () => {
  const rows = Array.from({ length: 60 }, (_, i) => i);
  const table = (prefix: string, value: (row: number) => number) =>
    `Filename,crack\n${rows.map((row) => `${prefix}${row},${value(row)}`).join('\n')}\n`;
  const isPositive = (row: number) => (row < 20 ? 1 : 0);
  const judged = file(
    'clean.csv',
    table('a', (row) => (isPositive(row) ? 0.9 : 0.01 + row / 1000)),
  );
  const fitted = file(
    'fit.csv',
    table('b', (row) => (isPositive(row) ? 0.8 : 0.02 + row / 1000)),
  );
  const truth = file('truth.csv', table('a', isPositive));
  const fitTruth = file('fit-truth.csv', table('b', isPositive));
  const judgment = await evaluateScores({
    scores: judged,
    labels: truth,
    fitScores: fitted,
    fitLabels: fitTruth,
    decision: { budget: { falseAlarms: 0.2 } },
    replicates: 20,
  });
  const scored = await joined(judged, truth);
  const page = evaluationPage('clean', judgment, { scored, fitted: await joined(fitted, fitTruth) });
  // 40 negatives without an alarm: 1 - 0.025^(1/40).
  expect(page).toContain('<b class="num">0.0%</b> (0.0 to 8.8), 0 of 40 negatives');
  expect(page).toContain('nothing can be promised with 40 negatives');
});

async function joined(scoreFile: string, labelFile: string) {
  return joinTables(await readTable(scoreFile), await readTable(labelFile), scoreFile);
}
