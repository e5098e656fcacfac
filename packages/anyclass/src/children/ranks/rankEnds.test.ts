import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testFolder } from '../../../../files/test/testFolder.js';
import type { RunEvent } from '../../events/runEvent.js';
import type { TrainWork } from '../work.js';
import { outcomeOf } from './rankEnds.js';
import type { RankFailure } from './rankFailure.js';
import type { RankEnd } from './rankProcess.js';
import { resumedWork } from './resumedWork.js';

const well: RankEnd = { rank: 0, pid: 1, code: 0, signal: null, at: 0, failure: undefined, lastLines: [] };
const told = (line: string, more: Partial<RankFailure> = {}): RankFailure => ({
  kind: 'rank failure',
  lines: [line],
  exitCode: 1,
  isMistake: false,
  ...more,
});
const lost = told('connection lost', { code: 'rank-lost' });

test('if all ranks exit with 0, the work is finished', () => {
  expect(outcomeOf([well, { ...well, rank: 1 }], new Set())).toEqual({ kind: 'finished' });
});

test('the reason is the killed rank, not the ranks that lost it, whichever exited first; a restart is worthwhile', () => {
  const killed: RankEnd = { ...well, rank: 1, pid: 7, code: null, signal: 'SIGKILL', at: 20 };
  const outcome = outcomeOf([{ ...well, code: 1, at: 10, failure: lost }, killed], new Set());
  expect(outcome).toEqual({
    kind: 'failed',
    lines: ['anyclass: rank 1 (process 7) was killed by SIGKILL'],
    exitCode: 1,
    isWorthRestart: true,
  });
});

test('a mistake that the user must fix is reported and not retried', () => {
  const mistake = told('anyclass: batchSize is 1', { isMistake: true, exitCode: 2 });
  const ends = [
    { ...well, code: 1, failure: lost },
    { ...well, rank: 1, code: 2, failure: mistake },
  ];
  expect(outcomeOf(ends, new Set())).toMatchObject({
    lines: ['anyclass: batchSize is 1'],
    exitCode: 2,
    isWorthRestart: false,
  });
});

test('a rank that hangs is named along with those that waited for it', () => {
  const hung: RankEnd = { ...well, rank: 1, pid: 9, code: null, signal: 'SIGKILL' };
  const outcome = outcomeOf([{ ...well, code: 1, failure: lost }, hung], new Set([1]));
  expect(outcome).toMatchObject({
    lines: ['connection lost', 'rank 1 (process 9) did not exit and was killed'],
  });
});

test('ranks that were asked to stop are interrupted', () => {
  const asked = { ...well, code: 130, failure: told('resume it', { exitCode: 130, isMistake: true }) };
  expect(outcomeOf([asked, { ...asked, rank: 1 }], new Set())).toMatchObject({
    kind: 'interrupted',
    lines: ['resume it'],
    exitCode: 130,
  });
});

test('a restart resumes a run that had started, and otherwise starts it; all else about the work stays', () => {
  const work: TrainWork = { kind: 'train', run: { configuration, folder: 'nowhere/a' }, json: true };
  const begun = resumedWork(work);
  expect([begun.next(), begun.next()]).toEqual([work, work]);
  begun.listen(startedIn('runs/a'));
  expect(begun.next()).toEqual({ ...work, run: { resume: 'runs/a' } });
  const resumed = resumedWork({ ...work, run: { resume: 'runs/b' } });
  resumed.next();
  resumed.listen(startedIn('runs/b'));
  expect(resumed.next()).toEqual({ ...work, run: { resume: 'runs/b' } });
  const other = resumedWork({ kind: 'evaluate', options: { model: 'runs/a', replicates: 0 } });
  other.next();
  expect(other.next()).toEqual({ kind: 'evaluate', options: { model: 'runs/a', replicates: 0 } });
});

test('a restart resumes a run whose folder has one by then, but not if it had one at the start', () => {
  const folder = testFolder();
  writeFileSync(join(folder, 'config.json'), '{}');
  const work = resumedWork({ kind: 'train', run: { configuration, folder }, json: false });
  expect([work.next(), work.next()].map((each) => each.kind === 'train' && 'resume' in each.run)).toEqual([
    false,
    true,
  ]);
});

const configuration = { data: { dataset: 'digits' } };

function startedIn(run: string): RunEvent {
  return {
    type: 'started',
    run,
    dataset: 'digits',
    network: 'resnet-18',
    loss: 'bce',
    device: 'cpu',
    precision: 'float32',
    epochs: 1,
  };
}
