// A small study as a user runs it: start, lose the process, Ctrl-C, resume, show, export.

import { type ChildProcess, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { testFolder } from '../../../files/test/testFolder.js';
import { runInProcess } from '../../test/inProcess.js';
import { program, programResult, startProgram } from '../../test/program.mjs';
import { runProgram } from '../commandLine/program.js';
import type { StudyEvent } from '../tuning/events.js';
import { openJournal } from '../tuning/journal.js';
import { tune } from './tune.js';

const folder = testFolder();

const anyclass = (...words: string[]) => programResult(words, folder);
const start = (...words: string[]) => startProgram(words, { cwd: folder });

/** Runs the command in this process. */
async function inside(...words: string[]): Promise<{ status: number; out: string; err: string }> {
  const [out, err]: [string[], string[]] = [[], []];
  const status = await runProgram([tune], ['tune', ...words], {
    print: (text) => void out.push(text),
    note: (text) => void err.push(text),
    onEvent: () => {},
  });
  return { status, out: out.join('\n'), err: err.join('\n') };
}

const study = join(folder, 'study');
const small = [
  'data.digits.scenes={"train":16,"validation":16,"test":8}',
  'network.inputSize=16',
  'batchSize=8',
  'epochs=2',
  'schedule.warmUpEpochs=0',
  'evaluation.replicates=10',
  'threads=1',
].flatMap((field) => ['--set', field]);
const search = ['--search', 'loss.lambda', '--search', 'batchSize=choice(4,8)'];
const begin = ['tune', 'study', 'quick', ...small, ...search, '--trials', '3'];

const events = (): StudyEvent[] => openJournal(join(study, 'journal.jsonl')).readNew();

/** Waits until the journal has `count` epochs. */
async function untilEpoch(count: number, child: ChildProcess): Promise<void> {
  while (child.exitCode === null && events().filter(({ event }) => event === 'epoch').length < count) {
    await sleep(20);
  }
}

describe('a study', () => {
  test('whose process is killed or interrupted resumes with the same command and loses no trial', async () => {
    const { child: killed } = start(...begin);
    await untilEpoch(1, killed);
    killed.kill('SIGKILL');

    const { child: interrupted, ended } = start(...begin);
    await untilEpoch(2, interrupted);
    interrupted.kill('SIGINT');
    const { code, errors } = await ended;
    expect(code).toBe(130);
    expect(errors).toMatch(/the study is not finished.*\nRun: anyclass tune study\n/);

    const { status, stdout, stderr } = anyclass('tune', 'study', '--workers', '2', '--json');
    expect({ status, stderr }).toMatchObject({ status: 0 });
    const result = JSON.parse(stdout);
    expect(result).toMatchObject({ metric: 'mAP', goal: 3, best: { status: 'finished', epochs: 2 } });
    const ends = events().flatMap((event) => (event.event === 'end' ? [event.trial] : []));
    expect(ends.sort()).toEqual([0, 1, 2]);
    expect(events().some((event) => event.event === 'start' && event.trial === 0 && event.attempt > 1)).toBe(
      true,
    );
    expect(readdirSync(join(study, 'trials')).sort()).toEqual(['0000', '0001', '0002']);
  }, 240_000);

  test('shows the best trials without libtorch, and its trials are ordinary runs', () => {
    const { status, stdout } = spawnSync(process.execPath, [program, 'tune', 'study', '--show'], {
      cwd: folder,
      encoding: 'utf8',
      env: { ...process.env, LIBTORCH: '/nowhere', LD_LIBRARY_PATH: '/nowhere' },
    });
    expect(status).toBe(0);
    expect(stdout).toMatch(
      /^Trial \d is the best: validation mAP [\d.]+ after 2 epochs\.\n[\s\S]*3 of 3 trials: .*finished[\s\S]*loss\.lambda +batchSize[\s\S]*best run +study\/trials\//,
    );
    expect(stdout).toMatch(
      /train it +anyclass tune study --export best\.json && anyclass train best\.json\n$/,
    );
    const run = /best run +(\S+)/.exec(stdout)?.[1] ?? '';
    expect(existsSync(join(folder, run, 'model.safetensors'))).toBe(true);
    expect(existsSync(join(folder, run, 'report.html'))).toBe(true);
  });

  test('exports the best configuration as a file to train with', async () => {
    const path = join(folder, 'best.json');
    const exported = await inside(study, '--export', path);
    expect(exported).toMatchObject({ status: 0, out: '' });
    expect(exported.err).toMatch(/best\.json: trial \d, mAP \d+\.\d\d$/);
    const { best } = JSON.parse((await inside(study, '--show', '--json')).out);
    const configuration = JSON.parse(readFileSync(path, 'utf8'));
    expect(configuration.loss.lambda).toBe(best.values['loss.lambda']);
    expect(configuration.batchSize).toBe(best.values.batchSize);
    expect(configuration.checkpoints.keep).toBe(2);
  });

  test('rejects changed settings and names the field', async () => {
    const { status, err } = await inside(study, '--metric', 'f2');
    expect({ status, err }).toMatchObject({
      status: 1,
      err: expect.stringContaining('the study has metric "mAP", not "macroF2"'),
    });
    expect((await inside(study, '--search', 'loss.lambda')).err).toContain('search.batchSize');
  });
});

test('missing data stops the study before it has trials', async () => {
  const anywhere = (...words: string[]) => runInProcess(folder, ['tune', 'nodata', ...words]);
  const { status, stderr } = await anywhere('quick', '--data', 'absent.csv');
  expect({ status, stderr }).toMatchObject({ status: 1, stderr: expect.stringContaining('absent.csv') });
  expect((await anywhere('--export', 'best.json')).stderr).toContain('no trial has a result yet');
});

test.each([
  [[], 2, 'is a new study; name a CONFIG or RECIPE for it'],
  [['--show'], 1, 'no study here'],
  [['quick', '--search', 'epochs=3'], 2, "'3' is not a search space"],
  [['quick', '--search', 'loss.lamda=log(0.1,1)'], 2, "did you mean 'lambda'?"],
  [['quick', '--metric', 'loss'], 2, '--metric'],
  [['quick', '--devices', 'first'], 2, "'first' is neither cpu nor cuda:N"],
  [['--data', 'digits'], 2, 'name it too'],
])('tune NEW %j exits with code %i and creates no folder: %s', async (words, expected, message) => {
  const path = join(folder, 'new');
  const { status, err } = await inside(path, ...words);
  expect({ status, err }).toMatchObject({ status: expected, err: expect.stringContaining(message) });
  expect(existsSync(path)).toBe(false);
});
