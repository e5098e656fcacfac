import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { beforeAll, expect, test } from 'vitest';
import { testFolder } from '../../../files/test/testFolder.js';
import { writeSyntheticRun } from '../../test/experimentRuns.js';
import { runInProcess } from '../../test/inProcess.js';
import { tinyRun } from '../../test/tinyRun.js';
import type { Inspection } from '../inspect/inspection.js';

const folder = testFolder();
const anyclass = (...words: string[]) => runInProcess(folder, words);

beforeAll(async () => {
  const rows = Array.from({ length: 20 }, (_, i) => `${i}.png,${i % 4 === 0 ? 1 : 0},${i % 5 === 0 ? 1 : 0}`);
  writeFileSync(join(folder, 'labels.csv'), `Filename,crack,root\n${rows.join('\n')}\n`);
  for (let i = 0; i < 20; i++) {
    const background = { r: 10 * i, g: 100, b: 50 };
    await sharp({ create: { width: 20, height: 10, channels: 3, background } })
      .png()
      .toFile(join(folder, `${i}.png`));
  }
  writeFileSync(join(folder, '7.png'), 'no image');
});

test('inspect counts positives and negatives, and names the unreadable image', async () => {
  const { status, stdout } = await anyclass('inspect', 'labels.csv', '--json');
  expect(status).toBe(0);
  const inspection: { splits: { total: number; negative: number }[]; quarantined: { name: string }[] } =
    JSON.parse(stdout);
  expect(inspection.splits.at(-1)).toMatchObject({ total: 20, negative: 12 });
  expect(inspection.quarantined.map(({ name }) => name)).toEqual(['7.png']);
});

test('inspect opens with a verdict', async () => {
  const { stdout } = await anyclass('inspect', 'labels.csv', '--no-images');
  expect(stdout).toMatch(/^labels\.csv: 20 instances, 2 classes, 60\.0% negative; start with λ .*\n/);
});

test('inspect writes a self-contained page', async () => {
  const { status, stderr } = await anyclass('inspect', 'labels.csv', '--html', 'page.html');
  expect(status).toBe(0);
  expect(stderr).toContain('wrote page.html');
  const page = readFileSync(join(folder, 'page.html'), 'utf8');
  expect(page).toContain('<svg');
  expect(page).not.toMatch(/(src|href)="http/);
});

test('strict makes the unreadable image an error that names it', async () => {
  const { status, stderr } = await anyclass('inspect', 'labels.csv', '--strict');
  expect(status).toBe(1);
  expect(stderr).toContain('7.png');
  expect(stderr).not.toContain('    at ');
});

test('prepare decodes once, and the second run finds everything in place', async () => {
  const first = await anyclass('prepare', 'labels.csv', '--size', '16', '--json');
  expect(first.status).toBe(0);
  expect(first.stderr).toContain('skipped 7.png');
  expect(JSON.parse(first.stdout)).toMatchObject({ rows: 20, decoded: 20 });
  const second = await anyclass('prepare', 'labels.csv', '--size', '16', '--check', '--json');
  expect(JSON.parse(second.stdout)).toMatchObject({ rows: 20, decoded: 0 });
});

test('inspect takes the fields of data as train does, and shows the data that training would see', async () => {
  const set = ['data.drop=["root"]', 'data.draw.shares=[0.6,0.4,0]', 'data.subset.negativesPerPositive=0'];
  const words = set.flatMap((assignment) => ['--set', assignment]);
  const { status, stdout } = await anyclass('inspect', 'labels.csv', '--no-images', '--json', ...words);
  expect(status).toBe(0);
  const { classes, splits } = JSON.parse(stdout);
  expect(classes).toEqual(['crack']);
  expect(splits).toMatchObject([
    { split: 'train', positive: 3, negative: 0 },
    { split: 'validation', positive: 2, negative: 6 },
    { split: 'test', total: 0 },
    { split: 'all' },
  ]);
});

test('an option sets a field, and --set overrides it', async () => {
  const words = ['inspect', 'labels.csv', '--no-images', '--json', '--keep', 'root'];
  const classes = async (...more: string[]) => JSON.parse((await anyclass(...words, ...more)).stdout).classes;
  expect(await classes()).toEqual(['root']);
  expect(await classes('--set', 'data.keep=["crack"]')).toEqual(['crack']);
});

test('prepare decodes to the channels that are set', async () => {
  const words = ['prepare', 'labels.csv', '--size', '16', '--cache', 'gray', '--json'];
  const { stdout } = await anyclass(...words, '--set', 'data.channels=1');
  expect(JSON.parse(stdout)).toMatchObject({ rows: 20, bytes: 20 * 16 * 16 });
});

test.each([
  [['--set', 'epochs=3'], 2, "--set: 'epochs' is not a field of data; only those can be set here\n"],
  [['--set', 'imageFolder=x'], 2, "did you mean 'data.imageFolder'?"],
  [['--set', 'data.dataset=x.csv'], 2, '--set: data.dataset is already given as DATASET\n'],
  [['--set', 'data.kep=["crack"]'], 1, "data.kep: no such field; did you mean 'keep'?"],
  [['--keep', 'crak'], 1, "labels.csv: no class 'crak'; did you mean 'crack'?"],
  [['--drop', 'rot'], 1, "labels.csv: no class 'rot'; did you mean 'root'?"],
  [['--group-column', 'pipe'], 1, "labels.csv: no column 'pipe' (data.columns.group)"],
  [['--set', 'data.subset.instances=99'], 1, 'data.subset.instances is 99; there are'],
])('inspect with %j exits with %d and says what is wrong', async (words, status, message) => {
  const result = await anyclass('inspect', 'labels.csv', '--no-images', ...words);
  expect({ status: result.status, stderr: result.stderr }).toEqual({
    status,
    stderr: expect.stringContaining(message),
  });
});

test('given a run, inspect names the label that its scores contradict', async () => {
  writeSyntheticRun(join(folder, 'run'), { configuration: tinyRun, strength: 6 });
  const scores = readFileSync(join(folder, 'run', 'scores', 'validation.csv'), 'utf8').split('\n');
  const labels = readFileSync(join(folder, 'run', 'scores', 'validation-labels.csv'), 'utf8').split('\n');
  // The crack with the highest score loses its label.
  const [surest] = scores
    .map((line, i) => ({ i, score: Number(line.split(',')[1]), label: labels[i]!.split(',')[1] }))
    .filter(({ label }) => label === '1')
    .sort((a, b) => b.score - a.score);
  labels[surest!.i] = labels[surest!.i]!.replace(',1,', ',0,');
  writeFileSync(join(folder, 'relabeled.csv'), labels.join('\n'));
  const { status, stdout, stderr } = await anyclass(
    'inspect',
    'relabeled.csv',
    '--no-images',
    '--run',
    'run',
    '--json',
  );
  expect({ status, stderr }).toMatchObject({ status: 0 });
  const inspection: Inspection = JSON.parse(stdout);
  expect(inspection.suspects[0]).toMatchObject({
    name: labels[surest!.i]!.split(',')[0],
    class: 'crack',
    kind: 'missing',
  });
  expect(inspection.problems.find(({ kind }) => kind === 'suspect-label')?.count).toBe(
    inspection.suspects.length,
  );
  expect(await anyclass('inspect', 'relabeled.csv', '--no-images', '--run', 'nowhere')).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('nowhere: not a run'),
  });
});

test('a missing table is reported in one line, with exit code 1', async () => {
  const { status, stderr } = await anyclass('inspect', 'nothing.csv');
  expect(status).toBe(1);
  expect(stderr).toBe('anyclass: nothing.csv: no such file or folder\n');
});
