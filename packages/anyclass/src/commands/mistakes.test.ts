// What the commands say about mistakes, and their help.

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { testFolder } from '../../../files/test/testFolder.js';
import { drawImages } from '../../test/drawnImages.js';
import { runInProcess } from '../../test/inProcess.js';

const folder = testFolder();
const anyclass = (words: readonly string[]) => runInProcess(folder, words);

beforeAll(async () => {
  await drawImages(folder, 12);
  const small = [
    'data.dataset=photos',
    'epochs=1',
    'batchSize=4',
    'network.inputSize=32',
    'evaluation.replicates=0',
  ];
  const set = small.flatMap((field) => ['--set', field]);
  expect(await anyclass(['train', 'quick', '--run', 'run', ...set])).toMatchObject({ status: 0 });
}, 60_000);

test('init and train notice before they start that all images are missing', async () => {
  writeFileSync(join(folder, 'elsewhere.csv'), 'Filename,a\n1.png,0\n2.png,1\n3.png,0\n4.png,1\n');
  const message =
    /elsewhere.csv: none of the images can be found; the first: '.*': missing: .*Set data.imageFolder .*\nOn the command line: --set data.imageFolder=FOLDER\n/;
  for (const words of [
    ['init', 'elsewhere.csv', '--out', 'elsewhere.json'],
    ['train', 'quick', '--data', 'elsewhere.csv', '--run', 'elsewhere'],
  ]) {
    const { status, stderr } = await anyclass(words);
    expect({ status, stderr }).toEqual({ status: 1, stderr: expect.stringMatching(message) });
  }
  expect(existsSync(join(folder, 'elsewhere'))).toBe(false);
});

test('init skips a column that is not a class on request', async () => {
  const table = readFileSync(join(folder, 'photos', 'labels.csv'), 'utf8')
    .trim()
    .split('\n');
  const withText = table.map((line, i) => `${line},${i === 0 ? 'weather' : 'sunny'}`);
  writeFileSync(join(folder, 'photos', 'weather.tsv'), withText.join('\n').replaceAll(',', '\t'));
  const refused = await anyclass(['init', 'photos/weather.tsv', '--out', 'weather.json']);
  expect(refused.stderr).toContain(`\nOn the command line: --set 'data.columns.ignore=["weather"]'\n`);
  const set = ['--set', 'data.columns.ignore=["weather"]'];
  expect((await anyclass(['init', 'photos/weather.tsv', '--out', 'weather.json', ...set])).status).toBe(0);
  expect(JSON.parse(readFileSync(join(folder, 'weather.json'), 'utf8')).data).toEqual({
    dataset: 'photos/weather.tsv',
    columns: { ignore: ['weather'] },
  });
});

test.each([
  [['verify', '/dev/zero']],
  [['audit', '/dev/zero']],
  [['evaluate', '--scores', '/dev/zero', '--labels', 'photos/labels.csv']],
])('what would be read without end is refused: %j', async (words) => {
  const { status, stderr } = await anyclass(words);
  expect({ status, stderr }).toEqual({
    status: 1,
    stderr: expect.stringContaining('/dev/zero cannot be read: it is a device'),
  });
});

test.each([
  [['train'], 2, 'give a CONFIG or RECIPE, or --weights'],
  [['train', 'quick', '--sed', '1'], 2, 'has no option --sed; did you mean --set?'],
  [['train', 'quick', '--set', 'epoch=1'], 1, "epoch: no such field; did you mean 'epochs'?"],
  [
    ['train', 'quick', '--set', 'data.mean=[0.5,0.4]'],
    1,
    'data.mean has 2 numbers; expected 1, one for each channel',
  ],
  [
    ['train', 'quick', '--set', 'data.draw.shares=[0.5,0.2,0.2]'],
    1,
    'data.draw.shares is [0.5,0.2,0.2]; expected shares that add up to 1',
  ],
  [['train', 'quick', '--data', 'nowhere.csv'], 1, 'nowhere.csv: no such file or folder'],
  [['train', 'nowhere.json'], 1, 'nowhere.json: no such file or recipe'],
  [['train', '--resume', 'photos'], 1, 'photos: not a run'],
  [['train', 'quick', '--set', 'device=cuda:9'], 1, 'device cuda:9'],
  [
    ['train', 'quick', '--run', 'photos/labels.csv'],
    1,
    '--run photos/labels.csv cannot be written: it is a file',
  ],
  [
    ['compare', 'quick', '--out', 'photos/labels.csv'],
    1,
    '--out photos/labels.csv cannot be written: it is a file',
  ],
  [['report', 'photos/labels.csv'], 1, 'photos/labels.csv is a file; name a run folder'],
  [
    ['report', 'run', '--assets', 'photos/labels.csv'],
    1,
    '--assets photos/labels.csv cannot be written: it is a file',
  ],
  [['report', 'run', '--out', 'photos'], 1, '--out photos cannot be written: it is a folder'],
  [['report', 'run', '--paper', 'foo'], 1, 'foo: no such folder; --paper takes sewerml, '],
  [
    ['init', 'photos', '--out', 'photos/labels.csv/x'],
    1,
    '--out photos/labels.csv/x cannot be written: part of the path',
  ],
  [['evaluate', 'run', '--html', 'photos'], 1, '--html photos cannot be written: it is a folder'],
  [
    ['evaluate', 'run', '--save-scores', 'photos'],
    1,
    '--save-scores photos cannot be written: it is a folder',
  ],
  [
    ['evaluate', '--scores', 'no.csv', '--labels', 'no.csv'],
    1,
    '--scores no.csv cannot be read: no such file',
  ],
  [['evaluate', 'run', '--replicates', '-5'], 2, '--replicates: expected at least 0'],
  [
    ['predict', 'run', 'photos', '--device', 'tpu'],
    1,
    'device tpu does not exist; expected cpu, cuda, cuda:N or auto',
  ],
  [['evaluate'], 2, 'give a RUN or MODEL, or --scores and --labels'],
  [['evaluate', '--scores', 'a.csv'], 2, '--scores requires --labels'],
  [['predict', 'nowhere', 'photos'], 1, 'nowhere: no such model or run'],
  [['predict', 'x', 'photos', '--threshold', 'half'], 2, "--threshold: 'half' is not a number"],
  [['predict', 'x', 'photos', '--threshold', '7'], 2, '--threshold: expected at most 1'],
  [['predict', 'x', 'photos', '--threshold', '-0.1'], 2, '--threshold: expected at least 0'],
  [['predict', 'x', 'photos', '--threshold='], 2, "--threshold: '' is not a number"],
  [['predict', 'x', 'photos', '--threshold', '0.5', '--beta', '2'], 2, '--threshold: cannot be combined'],
  [['predict', 'x', 'photos', '--json', '--format', 'csv'], 2, '--json means --format jsonl'],
  [['predict', 'run/model.safetensors', 'photos', '--false-alarms', '0.02'], 1, 'without scores to fit'],
  [['predict', 'x', '-', 'photos', '-'], 2, 'PATH…: - '],
  [['evaluate', 'x', 'digits', '--labels', 'l.csv'], 2, '--labels requires --scores'],
  [
    ['evaluate', '--scores', 's.csv', '--labels', 'l.csv', '--save-scores', 'o.csv'],
    2,
    '--save-scores requires a model',
  ],
  [
    ['evaluate', '--scores', 's.csv', '--labels', 'l.csv', '--rule', 'shared'],
    2,
    '--rule requires --fit-scores',
  ],
])('%j exits with %d and says what is wrong', async (words, status, message) => {
  const result = await anyclass(words);
  expect({ status: result.status, stderr: result.stderr }).toEqual({
    status,
    stderr: expect.stringContaining(message),
  });
  expect(result.stderr).not.toContain('--debug');
});

test.each(['init', 'train', 'evaluate', 'predict'])('%s --help shows options and examples', async (name) => {
  const { status, stdout } = await anyclass([name, '--help']);
  expect(status).toBe(0);
  expect(stdout).toMatch(new RegExp(`Usage: anyclass ${name} [\\s\\S]*Options:[\\s\\S]*Examples:`));
});

test('train --fields lists every field with its default', async () => {
  const { stdout } = await anyclass(['train', '--fields']);
  expect(stdout).toMatch(
    /loss\.lambda +λ: weight of absent classes in the any-class logit \[number\] \(default 0\.02\)/,
  );
});
