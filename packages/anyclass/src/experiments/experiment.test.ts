// Experiments as a user runs them: runs side by side, a kill in the middle, the same command again, mistakes.

import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { testFolder } from '../../../files/test/testFolder.js';
import { runInProcess } from '../../test/inProcess.js';
import { interruptedProgram, program, programResult } from '../../test/program.mjs';

const folder = testFolder();
const at = (name: string) => join(folder, name);

const anyclass = (...words: string[]) => programResult(words, folder);
/** Makes the process exit as soon as libtorch's binding is loaded. */
const withoutLibtorch = `data:text/javascript,${encodeURIComponent(
  "const { dlopen } = process; process.dlopen = (module, file, ...flags) => { if (file.endsWith('torch.node')) { console.error('libtorch was loaded'); process.exit(9); } dlopen(module, file, ...flags); };",
)}`;
const compareWords = [
  'compare',
  'tiny.json',
  '--losses',
  'bce,any-bce',
  '--seeds',
  '1',
  '--replicates',
  '20',
];

beforeAll(() => {
  const tiny = {
    data: { dataset: 'digits', digits: { scenes: { train: 16, validation: 24, test: 24 } } },
    network: { name: 'tresnet-s', inputSize: 16 },
    epochs: 2,
    batchSize: 8,
    threads: 1,
    checkpoints: { best: ['mAP'], keep: 1 },
    evaluation: { replicates: 20 },
  };
  writeFileSync(at('tiny.json'), JSON.stringify(tiny));
});

describe('a comparison', () => {
  test('exits with 130 after Ctrl-C, with its runs saved', async () => {
    const words = [...compareWords, '--jobs', '2', '--out', 'out'];
    const { code, errors } = await interruptedProgram(folder, words, 'epoch 1/2');
    expect(code).toBe(130);
    expect(errors).toContain('2 runs in out: 0 already finished and reused, 2 to train');
    expect(errors).toContain('press Ctrl-C again to quit immediately');
    expect(errors).toContain('Interrupted; all runs are saved.');
    expect(existsSync(at('out/lock'))).toBe(false);
  });

  test('resumes with the same command and writes tables and files', () => {
    const { status, stdout, stderr } = anyclass(...compareWords, '--jobs', '2', '--out', 'out');
    expect({ status, stderr }).toMatchObject({
      status: 0,
      stderr: expect.stringContaining('2 of 2 runs done'),
    });
    expect(stdout).toMatch(
      /loss +seeds +F1 +false alarms +F1 +F2 +F1-Neg +false alarms +presence AUC +mAP[\s\S]*loss +seeds +F1 +F2 +mAP +F1-Neg[\s\S]*bce +1 [\s\S]*any-bce λ=0\.02 − bce +at 5% false alarms/,
    );
    const logs = readdirSync(at('out/logs')).map((name) => readFileSync(at(`out/logs/${name}`), 'utf8'));
    expect(logs.join('\n')).toMatch(/Resuming after epoch [12]/);
    expect(readdirSync(at('out/tables'))).toContain('differences.tex');
    const { verdict, groups, differences } = JSON.parse(readFileSync(at('out/comparison.json'), 'utf8'));
    expect(stdout.startsWith(`${verdict}\n`)).toBe(true);
    expect(groups).toHaveLength(2);
    expect(differences[0].atDecision.macroF1.holds).toMatch(/higher|lower|unclear/);
    expect(readFileSync(at('out/trade-off-digits.svg'), 'utf8')).toMatch(/^<svg/);
    const summary = JSON.parse(
      readFileSync(join(at('out'), groups[0].folders[0].slice(4), 'summary.json'), 'utf8'),
    );
    expect(groups[0].test.mAP.mean).toBeCloseTo(summary.test.metrics.mAP, 9);
  });

  test('trains runs without intervals and reports of their own, which nobody would read', () => {
    const run = at('out/digits-tresnet-s-bce-seed1');
    expect(readdirSync(run)).not.toContain('report.html');
    const { test: judged } = JSON.parse(readFileSync(join(run, 'summary.json'), 'utf8'));
    expect(judged.metrics.macroF1).toBeTypeOf('number');
    expect(judged).not.toHaveProperty('intervals');
    expect(judged.decided).not.toHaveProperty('intervals');
  });

  test('reuses finished runs, and gives the same result without the engine', () => {
    const model = at('out/digits-tresnet-s-bce-seed1/model.safetensors');
    const before = statSync(model).mtimeMs;
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      ['--import', withoutLibtorch, program, ...compareWords, '--out', 'out', '--json'],
      { cwd: folder, encoding: 'utf8' },
    );
    expect({ status, stderr }).toMatchObject({
      status: 0,
      stderr: expect.stringContaining('2 already finished and reused, 0 to train'),
    });
    expect(JSON.parse(stdout)).toEqual(JSON.parse(readFileSync(at('out/comparison.json'), 'utf8')));
    expect(statSync(model).mtimeMs).toBe(before);
  });

  test('refuses runs with other settings before anything starts, and names the field that differs', async () => {
    const changed = [...compareWords, '--out', 'out', '--set', 'batchSize=4'];
    const { status, stderr } = await runInProcess(folder, changed);
    expect(status).toBe(1);
    expect(stderr).toMatch(
      /digits-tresnet-s-bce-seed1 holds a run with different settings: batchSize is 8 there and 4 now/,
    );
  });

  test('prints the last lines of a run that failed, and finishes the others', () => {
    rmSync(at('out/digits-tresnet-s-any-bce@lambda=0.02-seed1/summary.json'));
    const checkpoints = at('out/digits-tresnet-s-any-bce@lambda=0.02-seed1/config.json');
    const record = JSON.parse(readFileSync(checkpoints, 'utf8'));
    writeFileSync(checkpoints, JSON.stringify({ ...record, datasetFingerprint: 'another' }));
    const { status, stdout, stderr } = anyclass(...compareWords, '--out', 'out');
    expect(status).toBe(1);
    expect(stdout).toContain('bce');
    expect(stderr).toContain('any-bce@lambda=0.02-seed1 failed:');
    expect(stderr).toContain('the data changed since the run started');
    expect(stderr).toContain('1 run is not finished; run the same command again to resume');
  });
});

test('a sweep that was killed resumes, draws its chart and recommends a value', async () => {
  const words = [
    'sweep',
    'tiny.json',
    '--over',
    'lambda=0.1',
    '--seeds',
    '1',
    '--replicates',
    '0',
    '--out',
    'sweep',
  ];
  const killed = await interruptedProgram(folder, words, 'epoch 1/2', 'SIGKILL');
  expect(killed.code).toBeNull();
  const { status, stdout, stderr } = anyclass(...words);
  expect({ status, stderr }).toMatchObject({ status: 0 });
  const log = readFileSync(at('sweep/logs/digits-tresnet-s-bce-seed1.log'), 'utf8');
  // On a busy machine, the second epoch may be over before the signal arrives.
  expect(log).toMatch(/Resuming after epoch [12]/);
  expect(stdout).toMatch(
    /^.*(has the highest F1 at 5% false alarms|keep the standard loss).*\n[\s\S]*any-bce λ=0\.1/,
  );
  expect(readFileSync(at('sweep/sweep-test.svg'), 'utf8')).toMatch(/^<svg/);
  const { verdict, points, recommendation } = JSON.parse(readFileSync(at('sweep/sweep.json'), 'utf8'));
  expect(stdout.startsWith(verdict)).toBe(true);
  expect(points.map(({ value }: { value: number | null }) => value)).toEqual([null, 0.1]);
  expect([null, 0.1]).toContain(recommendation.value);
});

test('the guard against libtorch works: train needs it', () => {
  const words = ['--import', withoutLibtorch, program, 'train', 'tiny.json', '--run', 'guarded'];
  const { status, stderr } = spawnSync(process.execPath, words, { cwd: folder, encoding: 'utf8' });
  expect({ status, stderr }).toEqual({ status: 9, stderr: 'libtorch was loaded\n' });
});

describe('mistakes', () => {
  test.each([
    [['compare', 'tiny.json'], 2, '--out is missing'],
    [['compare', 'tiny.json', '--out', 'x', '--losses', 'bec'], 2, "did you mean 'bce'?"],
    [
      ['compare', 'tiny.json', '--out', 'x', '--losses', 'any-bce@lambda=7'],
      1,
      'loss.lambda is 7; expected at most 1',
    ],
    [['compare', 'tiny.json', '--out', 'x', '--losses', 'any-bce@lamda=0.1'], 1, "did you mean 'lambda'?"],
    [['compare', 'tiny.json', '--out', 'x', '--seeds', '1,1'], 2, '--seeds: 1 is listed twice'],
    [['compare', 'tiny.json', '--out', 'x', '--jobs', '0'], 2, '--jobs: expected more than 0'],
    [
      ['compare', 'tiny.json', '--out', 'x', '--f1-neg', '0.9', '--confidence', '0.9'],
      2,
      '--confidence: has no effect',
    ],
    [['sweep', 'tiny.json', '--out', 'x', '--false-alarms', '5'], 2, "--false-alarms: '5' could mean 5%"],
    [['compare', 'tiny.json', '--out', 'x', '--devices', 'gpu0'], 2, "'gpu0' is neither cpu nor cuda:N"],
    [['compare', 'nowhere.json', '--out', 'x'], 1, 'nowhere.json: no such file'],
    [['sweep', 'tiny.json', '--out', 'x', '--over', 'lamda=1'], 2, "no such numeric field 'lamda'"],
    [['sweep', 'tiny.json', '--out', 'x', '--set', 'loss.name=bce'], 1, 'loss.lambda has no effect with bce'],
  ])('%j exits with %d and says what is wrong', async (words, status, message) => {
    const result = await runInProcess(folder, words);
    expect({ status: result.status, stderr: result.stderr }).toEqual({
      status,
      stderr: expect.stringContaining(message),
    });
    expect(existsSync(at('x'))).toBe(false);
  });
});
