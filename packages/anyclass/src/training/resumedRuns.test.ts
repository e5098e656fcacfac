// Runs that stop and are resumed end as if nothing had happened; damaged files are detected.

import { createHash } from 'node:crypto';
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { testFolder } from '../../../files/test/testFolder.js';
import { augmentedRun } from '../../test/tinyRun.js';
import type { EpochRecord } from '../events/epochRecord.js';
import type { RunEvent } from '../events/runEvent.js';
import { readEvents } from '../runs/eventLog.js';
import { readEpochs } from '../runs/metricsLog.js';
import { lockRun } from '../runs/runLock.js';
import { resumeAndReport } from '../workflows/trainAndReport.js';
import type { TrainingResult } from './activeRun.js';
import { resumeRun } from './resumeRun.js';
import { trainRun } from './trainRun.js';

const folder = testFolder();
const at = (...names: string[]) => join(folder, ...names);

// The last checkpoint is compared, too.
const configuration = { ...augmentedRun, checkpoints: { keepFinished: true } };

const notes: string[] = [];
const onEvent = (event: RunEvent) => {
  if (event.type === 'note') notes.push(event.text);
};

let result: TrainingResult;
let whole: readonly string[];
beforeAll(async () => {
  result = await trainRun(configuration, { run: at('whole'), onEvent });
  whole = filesOf('whole');
  // Tests resume copies of these two.
  const half = await interrupted(
    'half',
    (event) => event.type === 'step' && event.epoch === 2 && event.step > 0,
  );
  const untested = await interrupted(
    'untested',
    (event) => event.type === 'progress' && event.task === 'test',
  );
  expect([half.summary, untested.summary]).toEqual([undefined, undefined]);
}, 180_000);

/** Hashes of the final files of a run. */
function filesOf(run: string): string[] {
  const last = ['checkpoints', 'epoch-0002-step-000000.safetensors'];
  const scores = [
    ['scores', 'validation.csv'],
    ['scores', 'test.csv'],
  ];
  return [['model.safetensors'], ...scores, last].map((names) =>
    createHash('sha256')
      .update(readFileSync(at(run, ...names)))
      .digest('hex'),
  );
}

/** Interrupts a run at an event. */
async function interrupted(run: string, isMoment: (event: RunEvent) => boolean): Promise<TrainingResult> {
  const controller = new AbortController();
  return trainRun(configuration, {
    run: at(run),
    signal: controller.signal,
    onEvent(event) {
      if (isMoment(event)) controller.abort();
    },
  });
}

function copyRun(from: string, to: string): void {
  cpSync(at(from), at(to), { recursive: true });
}

test('a run interrupted in the middle of an epoch and resumed ends with the same bits', async () => {
  copyRun('half', 'interrupted');
  const checkpoints = readdirSync(at('interrupted', 'checkpoints')).filter((name) =>
    name.startsWith('epoch'),
  );
  expect(checkpoints.at(-1)).toMatch(/^epoch-0001-step-00000[1-4]/);
  await resumeRun(at('interrupted'), { onEvent });
  expect(filesOf('interrupted')).toEqual(whole);
  expect(readEpochs(at('interrupted', 'metrics.jsonl')).map(({ epoch }) => epoch)).toEqual([1, 2]);
});

test('a run interrupted during its evaluation and resumed ends with the same bits', async () => {
  copyRun('untested', 'judged');
  expect(existsSync(at('judged', 'summary.json'))).toBe(false);
  expect((await resumeRun(at('judged'), { onEvent })).summary).toEqual(result.summary);
  expect(filesOf('judged')).toEqual(whole);
});

test('a run stopped by its caller after an epoch and resumed ends with the same bits', async () => {
  const seen: number[] = [];
  const onEpoch = ({ epoch }: EpochRecord) => seen.push(epoch) === 1;
  expect((await trainRun(configuration, { run: at('ended'), onEpoch })).summary).toBeUndefined();
  expect(readEpochs(at('ended', 'metrics.jsonl')).map(({ epoch }) => epoch)).toEqual([1]);
  await resumeRun(at('ended'), { onEpoch });
  expect(seen).toEqual([1, 2]);
  expect(filesOf('ended')).toEqual(whole);
});

test('a run resumes from the newest intact checkpoint and says what it skipped', async () => {
  copyRun('half', 'damaged');
  const [older, newer] = readdirSync(at('damaged', 'checkpoints'))
    .filter((name) => name.startsWith('epoch'))
    .sort();
  const bytes = readFileSync(at('damaged', 'checkpoints', newer!));
  bytes[bytes.length - 1000] = bytes[bytes.length - 1000]! ^ 1;
  writeFileSync(at('damaged', 'checkpoints', newer!), bytes);
  writeFileSync(at('damaged', 'checkpoints', 'epoch-0001-step-000009.safetensors'), bytes);
  truncateSync(at('damaged', 'checkpoints', 'epoch-0001-step-000009.safetensors'), 1_000_000);
  notes.length = 0;
  await resumeRun(at('damaged'), { onEvent });
  expect(notes[0]).toMatch(/Skipped .*step-000009.safetensors: /);
  expect(notes[1]).toMatch(new RegExp(`Skipped .*${newer}: was altered`));
  const [started] = readEvents(at('damaged', 'events.jsonl')).filter(
    (event) => event.type === 'started' && event.resumed,
  );
  expect(started).toMatchObject({ resumed: { checkpoint: expect.stringContaining(older!) } });
  expect(filesOf('damaged')).toEqual(whole);
});

test('a run starts over if no checkpoint is intact, and keeps what it writes from then on', async () => {
  copyRun('half', 'lost');
  const checkpoints = readdirSync(at('lost', 'checkpoints')).filter((name) => name.startsWith('epoch'));
  for (const name of checkpoints) truncateSync(at('lost', 'checkpoints', name), 1_000_000);
  notes.length = 0;
  await resumeRun(at('lost'), { onEvent });
  expect(notes.filter((note) => note.includes('renamed to damaged-epoch-'))).toHaveLength(2);
  expect(notes).toContain('No usable checkpoint; starting over');
  expect(filesOf('lost')).toEqual(whole);
});

test('a run starts over if its inner folders are gone', async () => {
  mkdirSync(at('bare'));
  copyFileSync(at('whole', 'config.json'), at('bare', 'config.json'));
  await resumeRun(at('bare'), { onEvent });
  expect(filesOf('bare')).toEqual(whole);
});

test('a run is refused while another process is working on it, or if the folder already holds a run', async () => {
  using _lock = lockRun(at('whole'));
  await expect(resumeRun(at('whole'))).rejects.toThrow('is working on this run');
  await expect(trainRun(configuration, { run: at('whole') })).rejects.toThrow('is working on this run');
  _lock[Symbol.dispose]();
  await expect(trainRun(configuration, { run: at('whole') })).rejects.toThrow('already holds a run');
});

test('a run is refused if the data has changed since it started', async () => {
  copyRun('half', 'changed');
  const path = at('changed', 'config.json');
  const text = readFileSync(path, 'utf8');
  writeFileSync(path, text.replace(/"datasetFingerprint": "\w/, '"datasetFingerprint": "x'));
  await expect(resumeRun(at('changed'))).rejects.toThrow('the data changed since the run started');
});

test('a finished run is not evaluated again, but a missing report is written', async () => {
  expect(existsSync(at('whole', 'report.html'))).toBe(false);
  notes.length = 0;
  expect((await resumeAndReport(at('whole'), { onEvent })).summary).toEqual(result.summary);
  expect(notes).toEqual([expect.stringContaining('the run is finished')]);
  expect(existsSync(at('whole', 'report.html'))).toBe(true);
  expect(filesOf('whole')).toEqual(whole);
  expect(notes[0]).not.toContain('report.html');
});

test('a finished run with a report keeps it, and says of when it is', async () => {
  writeFileSync(at('whole', 'report.html'), 'of then');
  utimesSync(at('whole', 'report.html'), new Date(), new Date('2026-03-14T12:00:00Z'));
  notes.length = 0;
  await resumeAndReport(at('whole'), { onEvent });
  expect(notes).toEqual([expect.stringContaining('report.html is of 2026-03-14: delete it')]);
  expect(readFileSync(at('whole', 'report.html'), 'utf8')).toBe('of then');
});

test.each([
  ['summary.json', 'summary.json is damaged'],
  ['model.safetensors', 'model.safetensors'],
  ['scores/test.csv', 'test.csv'],
])('a run is evaluated again if its %s is damaged', async (name, message) => {
  truncateSync(at('whole', name), 100);
  notes.length = 0;
  expect((await resumeRun(at('whole'), { onEvent })).summary).toEqual(result.summary);
  expect(notes[0]).toContain(message);
  expect(notes[0]).toContain(': evaluating the run again');
  expect(filesOf('whole')).toEqual(whole);
});

describe('a finished run that keeps no checkpoints', () => {
  const results = (run: string) =>
    ['model.safetensors', 'scores/validation.csv', 'scores/test.csv', 'summary.json'].map((name) =>
      readFileSync(at(run, name), 'base64'),
    );
  beforeAll(async () => {
    copyRun('untested', 'slim');
    const path = at('slim', 'config.json');
    const record = JSON.parse(readFileSync(path, 'utf8'));
    record.configuration.checkpoints.keepFinished = false;
    writeFileSync(path, JSON.stringify(record));
    await resumeRun(at('slim'), { onEvent });
  });

  test('has the best weights, and little else to evaluate them again', () => {
    expect(results('slim')).toEqual(results('whole'));
    const names = readdirSync(at('slim', 'checkpoints')).sort();
    expect(names).toEqual([
      'epoch-0002-step-000000.safetensors',
      expect.stringMatching(/^weights-epoch-000\d/),
    ]);
    expect(statSync(at('slim', 'checkpoints', names[0]!)).size).toBeLessThan(10_000);
  });

  test('is evaluated again with its best weights if its results are damaged', async () => {
    copyRun('slim', 'slim-damaged');
    for (const name of ['summary.json', 'model.safetensors', 'scores/test.csv'])
      truncateSync(at('slim-damaged', name), 100);
    await resumeRun(at('slim-damaged'), { onEvent });
    expect(results('slim-damaged')).toEqual(results('whole'));
  });

  test('is refused if its model and the best weights are damaged: nothing else has weights', async () => {
    copyRun('slim', 'gone');
    truncateSync(at('gone', 'model.safetensors'), 100);
    for (const name of readdirSync(at('gone', 'checkpoints')).filter((file) => file.startsWith('weights')))
      truncateSync(at('gone', 'checkpoints', name), 100);
    await expect(resumeRun(at('gone'), { onEvent })).rejects.toThrow('kept no other weights');
    expect(existsSync(at('gone', 'model.safetensors'))).toBe(true);
  });
});

test('a run is evaluated with its last epoch if the best weights are damaged', async () => {
  copyRun('untested', 'weights');
  const weights = readdirSync(at('weights', 'checkpoints')).filter((name) => name.startsWith('weights'));
  for (const name of weights) truncateSync(at('weights', 'checkpoints', name), 1000);
  notes.length = 0;
  const { summary } = await resumeRun(at('weights'), { onEvent });
  expect(summary).toMatchObject({ bestEpoch: 2, isLastInstead: true });
  expect(notes).toContainEqual(expect.stringMatching(/weights-epoch-.*; evaluating the last epoch instead/));
});
