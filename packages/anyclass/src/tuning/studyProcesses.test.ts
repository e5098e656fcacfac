// Several processes on one study, with trials that only pretend to train.

import { type ChildProcess, spawn } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { testFolder } from '../../../files/test/testFolder.js';
import { validateConfiguration } from '../configuration/validate.js';
import { openJournal } from './journal.js';
import { openLedger } from './ledger.js';
import { createStudy, type StudySettings } from './study.js';

const root = testFolder();

const program = (name: string) => fileURLToPath(new URL(`../../test/${name}`, import.meta.url));
const settings: StudySettings = {
  configuration: validateConfiguration({ data: { dataset: 'digits' }, epochs: 4 }),
  search: { 'loss.alpha': { kind: 'uniform', low: 0, high: 1 } },
  metric: 'mAP',
  seed: 0,
  eta: 3,
  minEpochs: 1,
};

let studies = 0;
async function newStudy(trials: number): Promise<string> {
  const folder = join(root, String(studies++));
  await createStudy(folder, settings);
  await openLedger(folder, settings).setGoal(trials);
  return folder;
}

function run(name: string, folder: string, number: number): ChildProcess {
  return spawn(process.execPath, [program(name), folder, String(number)], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}

const start = (folder: string, milliseconds: number) => run('studyWorker.mjs', folder, milliseconds);

function exitOf(child: ChildProcess): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve(child.exitCode);
  return new Promise((resolve) => child.on('exit', resolve));
}

/** The trial and attempt of each run of a trial by a worker. */
function carriedOut(folder: string): string[] {
  const path = join(folder, 'carried-out.txt');
  const lines = existsSync(path) ? readFileSync(path, 'utf8').trimEnd().split('\n') : [];
  return lines.map((line) => line.split(' ').slice(0, 2).join(' '));
}

async function untilCarriedOut(folder: string, count: number, by: ChildProcess): Promise<void> {
  while (by.exitCode === null && carriedOut(folder).length < count) await sleep(20);
}

function endedTrials(folder: string): number[] {
  const events = openJournal(join(folder, 'journal.jsonl')).readNew();
  return events.flatMap((event) => (event.event === 'end' ? [event.trial] : [])).sort((a, b) => a - b);
}

test('the lock admits one process at a time, and is taken over from a killed one', async () => {
  const folder = join(root, 'counted');
  mkdirSync(folder);
  writeFileSync(join(folder, 'counter.txt'), '0');
  const victim = run('lockedCounter.mjs', folder, 1e6);
  while (victim.exitCode === null && Number(readFileSync(join(folder, 'counter.txt'), 'utf8')) < 5)
    await sleep(5);
  victim.kill('SIGKILL');
  await exitOf(victim);
  writeFileSync(join(folder, 'counter.txt'), '0');
  const exits = await Promise.all([1, 2, 3, 4].map(() => exitOf(run('lockedCounter.mjs', folder, 60))));
  expect(exits).toEqual([0, 0, 0, 0]);
  expect(readFileSync(join(folder, 'counter.txt'), 'utf8')).toBe('240');
});

test('processes that share a study lose no trial and run none twice', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 4, max: 24 }),
      fc.constantFrom(0, 3, 20),
      async (trials, milliseconds) => {
        const folder = await newStudy(trials);
        const exits = await Promise.all([1, 2, 3, 4].map(() => exitOf(start(folder, milliseconds))));
        expect(exits).toEqual([0, 0, 0, 0]);
        const all = Array.from({ length: trials }, (_, trial) => trial);
        expect(endedTrials(folder)).toEqual(all);
        expect(carriedOut(folder).sort()).toEqual(all.map((trial) => `${trial} 1`).sort());
      },
    ),
    { numRuns: 2, endOnFailure: true },
  );
});

test('a worker that is killed loses only its own trial, which another one continues', async () => {
  const folder = await newStudy(6);
  const victim = start(folder, 150);
  await untilCarriedOut(folder, 1, victim);
  const other = start(folder, 50);
  await untilCarriedOut(folder, 2, other);
  victim.kill('SIGKILL');
  const held = openLedger(folder, settings)
    .state()
    .trials.flatMap(({ number, status, worker }) =>
      status === 'running' && worker.pid === victim.pid ? [number] : [],
    );
  expect(await exitOf(other)).toBe(0);
  expect(endedTrials(folder)).toEqual([0, 1, 2, 3, 4, 5]);
  const repeated = carriedOut(folder).filter((line) => !line.endsWith(' 1'));
  expect(repeated).toEqual(held.map((trial) => `${trial} 2`));
});

test('workers that are killed again and again, even while writing, lose no trial', async () => {
  const folder = await newStudy(10);
  for (const after of [40, 160, 10, 230]) {
    const before = carriedOut(folder).length;
    const victims = [start(folder, 40), start(folder, 40)];
    await untilCarriedOut(folder, before + 1, victims[0]!);
    await sleep(after);
    for (const victim of victims) victim.kill('SIGKILL');
    await Promise.all(victims.map(exitOf));
    appendFileSync(join(folder, 'journal.jsonl'), '{"event":"epoch","trial":1,"att');
  }
  expect(await exitOf(start(folder, 0))).toBe(0);
  expect(endedTrials(folder)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
});
