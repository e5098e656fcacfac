// The main workflow as a user runs it: init, train, Ctrl-C, resume, evaluate, predict.

import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isPartial } from '@anyclass/files';
import { hasCuda } from '@anyclass/torch';
import { beforeAll, describe, expect, test } from 'vitest';
import { testFolder } from '../../../files/test/testFolder.js';
import { drawImages } from '../../test/drawnImages.js';
import { runInProcess } from '../../test/inProcess.js';
import { interruptedProgram, program, startProgram } from '../../test/program.mjs';

const folder = testFolder();

const anyclass = (words: string[], options: { input?: string; limit?: string } = {}) =>
  spawnSync(
    options.limit ? 'bash' : process.execPath,
    options.limit
      ? ['-c', `${options.limit}; exec "$0" "$@"`, process.execPath, program, ...words]
      : [program, ...words],
    { cwd: folder, encoding: 'utf8', input: options.input ?? '' },
  );

/** Runs a command whose process does not matter, only what it prints and writes. */
const inProcess = (...words: string[]) => runInProcess(folder, words);

/** Runs the program in a shell, with arguments that may end in pipes and redirections. */
const shell = (line: string) =>
  spawnSync('bash', ['-o', 'pipefail', '-c', `'${process.execPath}' '${program}' ${line}`], {
    cwd: folder,
    encoding: 'utf8',
  });

const small = [
  'epochs=2',
  'batchSize=8',
  'network.inputSize=16',
  'evaluation.replicates=20',
  'threads=1',
].flatMap((field) => ['--set', field]);

beforeAll(() => drawImages(folder));

describe('from a folder to an evaluated model', () => {
  test('init inspects the folder and writes a configuration', async () => {
    const { status, stdout, stderr } = await inProcess('init', 'photos');
    expect({ status, stdout }).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('wrote anyclass.json'),
    });
    expect(stderr).toContain('2 classes (square, stripe)');
    expect(stderr).toContain('input 64 px: images of 32 px are enlarged');
    expect(JSON.parse(readFileSync(join(folder, 'anyclass.json'), 'utf8'))).toMatchObject({
      data: { dataset: 'photos' },
      network: { name: 'tresnet-s', inputSize: 64 },
    });
    expect((await inProcess('init', 'photos')).stderr).toContain('anyclass.json already exists');
  });

  test('init writes paths relative to its file, and train works from any folder', async () => {
    const out = ['--out', 'some/where/photos.json', '--set', 'data.imageFolder=photos/images'];
    expect((await inProcess('init', 'photos/labels.csv', ...out)).status).toBe(0);
    expect(JSON.parse(readFileSync(join(folder, 'some/where/photos.json'), 'utf8')).data).toEqual({
      dataset: '../../photos/labels.csv',
      imageFolder: '../../photos/images',
    });
    const words = ['train', '../where/photos.json', '--run', 'run', ...small, '--set', 'epochs=1'];
    const { status, stderr } = await runInProcess(join(folder, 'some', 'where'), words);
    expect({ status, stderr }).toEqual({ status: 0, stderr: expect.stringContaining('2 classes') });
    const { configuration } = JSON.parse(readFileSync(join(folder, 'some/where/run/config.json'), 'utf8'));
    expect(configuration.data).toMatchObject({
      dataset: join(realpathSync(folder), 'photos', 'labels.csv'),
      cache: join(realpathSync(folder), 'some', 'where', '.anyclass', 'cache'),
    });
  });

  test('Ctrl-C saves a checkpoint and says how to resume', async () => {
    const words = ['train', 'anyclass.json', '--run', 'run', ...small];
    const { code, errors } = await interruptedProgram(folder, words, '; run run');
    expect(code).toBe(130);
    expect(errors).toContain('Saving a checkpoint');
    expect(errors).toContain('\nRun: anyclass train --resume run\n');
    expect(readdirSync(join(folder, 'run', 'checkpoints')).join()).toMatch(
      /^epoch-000\d-step-\d+\.safetensors/,
    );
    expect(existsSync(join(folder, 'run', 'lock'))).toBe(false);
  });

  test('resume finishes the run and prints the results', async () => {
    const { status, stdout, stderr } = await inProcess('train', '--resume', 'run');
    expect({ status, stderr }).toMatchObject({
      status: 0,
      stderr: expect.stringContaining('Resuming after epoch'),
    });
    expect(stdout).toMatch(
      /^With its decision, the model predicts .*\n\ntest: \d+ instances[\s\S]*F1-Neg[\s\S]*square/,
    );
    expect(existsSync(join(folder, 'run', 'report.html'))).toBe(true);
  });

  test('evaluate gives the same results for the run as for its saved scores without libtorch', async () => {
    const fromModel = await inProcess('evaluate', 'run', '--replicates', '0', '--json');
    const fromScores = await inProcess(
      'evaluate',
      ...['--scores', 'run/scores/test.csv', '--labels', 'run/scores/test-labels.csv'],
      ...['--fit-scores', 'run/scores/validation.csv', '--fit-labels', 'run/scores/validation-labels.csv'],
      ...['--replicates', '0', '--json', '--html', 'page.html'],
    );
    const [model, scores] = [JSON.parse(fromModel.stdout), JSON.parse(fromScores.stdout)];
    expect(model.decided).toMatchObject({ rule: 'gate', presence: scores.decided.presence });
    if (!hasCuda()) {
      expect(model.metrics).toEqual(scores.metrics);
      expect(model.decided.metrics).toEqual(scores.decided.metrics);
    }
    // A GPU rounds differently at other batch sizes.
    for (const metric of ['mAP', 'macroF1', 'f1Neg'])
      expect(Math.abs(model.metrics[metric] - scores.metrics[metric])).toBeLessThan(0.1);
    expect(readFileSync(join(folder, 'page.html'), 'utf8')).toMatch(
      /<h1>Finds [^<]* positive images[\s\S]*stripe/,
    );
  });

  test('predict reads folders and lists, and exits with 3 if some images failed', () => {
    const all = anyclass(['predict', 'run', 'photos', '--batch-size', '8']);
    expect(all.status).toBe(0);
    expect(all.stdout.trim().split('\n')).toHaveLength(61);
    expect(all.stdout).toMatch(/^Filename,square,stripe,labels\n/);
    const listed = anyclass(['predict', 'run', '-', '--json'], {
      input: 'photos/images/3.png\nnowhere.png\n',
    });
    expect(listed.status).toBe(3);
    expect(JSON.parse(listed.stdout)).toMatchObject({ Filename: 'photos/images/3.png' });
    expect(listed.stderr).toContain('1 of 2 images could not be read:\n  nowhere.png: no such file');
  });

  test('predict writes a file, or says why it cannot', async () => {
    expect((await inProcess('predict', 'run', 'photos', '--out', 'labels.csv')).status).toBe(0);
    expect(readFileSync(join(folder, 'labels.csv'), 'utf8')).toMatch(/^Filename,.*,labels\nphotos/);
    expect((await inProcess('predict', 'run', 'photos', '--out', 'new/labels.csv')).status).toBe(0);
    expect(await inProcess('predict', 'run', 'photos', '--out', 'labels.csv/labels.csv')).toMatchObject({
      status: 1,
      stderr:
        'anyclass: --out labels.csv/labels.csv cannot be written: part of the path is a file, not a folder\n',
    });
  });

  test('predict leaves a file unchanged if nothing is predicted, and prints no header', async () => {
    mkdirSync(join(folder, 'bare'));
    const before = readFileSync(join(folder, 'labels.csv'), 'utf8');
    expect(await inProcess('predict', 'run', 'bare', '--out', 'labels.csv')).toMatchObject({
      status: 1,
      stderr: 'anyclass: no image in bare\n',
    });
    expect(await inProcess('predict', 'run', 'nowhere.png', '--out', 'labels.csv')).toMatchObject({
      status: 3,
      stderr: 'anyclass: no image could be read:\n  nowhere.png: no such file\n',
    });
    expect(readFileSync(join(folder, 'labels.csv'), 'utf8')).toBe(before);
    expect(anyclass(['predict', 'run', '-'])).toMatchObject({
      status: 1,
      stdout: '',
      stderr: 'anyclass: no image in standard input\n',
    });
  });

  test('Ctrl-C during prediction to a file keeps the old file and says where the new rows are', async () => {
    const before = readFileSync(join(folder, 'labels.csv'), 'utf8');
    const words = ['predict', 'run', '-', '--batch-size', '1', '--out', 'labels.csv'];
    const { child, ended } = startProgram(words, { cwd: folder });
    child.stdin.write('photos/images/1.png\nphotos/images/2.png\n');
    const partial = `labels.csv.${child.pid}.part`;
    while (!readdirSync(folder).some(isPartial)) await new Promise((resolve) => setTimeout(resolve, 50));
    child.kill('SIGINT');
    const { code, errors } = await ended;
    expect(code).toBe(130);
    expect(errors).toMatch(new RegExp(`Interrupted after [12] images?; .* ${partial}`));
    expect(readFileSync(join(folder, partial), 'utf8')).toMatch(/^Filename,.*\nphotos\/images\/1.png,/);
    expect(readFileSync(join(folder, 'labels.csv'), 'utf8')).toBe(before);
  });

  test('a reader that closes the stream, such as head, stops predict quietly', () => {
    const { status, stdout, stderr } = shell('predict run photos photos photos --batch-size 8 | head -n 2');
    expect(stdout.split('\n')).toHaveLength(3);
    // A slow machine may show progress.
    expect({ status, stderr }).toEqual({ status: 0, stderr: expect.not.stringMatching(/anyclass:|error/i) });
  });

  test.each(['evaluate run --json --replicates 0', 'train --help'])(
    'it is not an error if nobody reads the output of %s',
    (line) => {
      const { status, stderr } = shell(`${line} | true`);
      expect({ status, stderr }).toEqual({ status: 0, stderr: expect.not.stringContaining('EPIPE') });
    },
  );

  test('training continues when its output stream is closed', () => {
    const { status } = shell(`train anyclass.json --run unwatched ${small.join(' ')} 2>&1 | head -n 1`);
    expect(status).toBe(0);
    expect(existsSync(join(folder, 'unwatched', 'summary.json'))).toBe(true);
  });

  test.skipIf(!existsSync('/dev/full')).each(['predict run photos', 'evaluate run --replicates 0'])(
    'a full disk under the results of %s is an error of one line',
    (line) => {
      const { status, stderr } = shell(`${line} > /dev/full`);
      expect(status).toBe(1);
      expect(stderr.split('\n').filter((text) => text.startsWith('anyclass:'))).toEqual([
        'anyclass: cannot write to standard output: the disk is full',
      ]);
      expect(stderr).not.toContain('    at ');
    },
  );

  test('a full disk gives a message and leaves no partial checkpoint', () => {
    // Files are limited to 8 MiB, too small for the weights.
    const limit = 'ulimit -f 8192';
    const { status, stderr } = anyclass(['train', 'anyclass.json', '--run', 'full', ...small], { limit });
    expect(status).toBe(1);
    expect(stderr).toMatch(
      /full cannot be written to: full\/checkpoints\/.*too large.*No checkpoint was written before/,
    );
    const { stdout } = spawnSync('ls', ['-A', join(folder, 'full', 'checkpoints')], { encoding: 'utf8' });
    expect(stdout).toBe('');
  });
});

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)('%s during prepare says how to resume', async (signal, code) => {
  const words = ['prepare', 'digits', '--size', '256', '--cache', signal];
  const { child, ended } = startProgram(words, { cwd: folder });
  const isBegun = () => existsSync(join(folder, signal)) && readdirSync(join(folder, signal)).length > 0;
  while (!isBegun()) await new Promise((resolve) => setTimeout(resolve, 20));
  child.kill(signal);
  const end = await ended;
  expect(end.code).toBe(code);
  expect(end.errors).toMatch(/anyclass: Interrupted; .*resume\n$/);
});

// In their own processes, because Node itself loads these files.
test.each([
  ['syntax.mjs', 'export default {\n  a: ,\n};', "syntax.mjs: Unexpected token ','"],
  ['thrown.mjs', '\n\nthrow new Error("my fault");', 'thrown.mjs, line 3: my fault'],
])('a configuration that fails to load, %s, is rejected with its name', (name, content, message) => {
  writeFileSync(join(folder, name), content);
  expect(anyclass(['train', name])).toMatchObject({ status: 1, stderr: `anyclass: ${message}\n` });
});
