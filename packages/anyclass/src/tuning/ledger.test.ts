import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { thisProcess } from '@anyclass/files';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { testFolder } from '../../../files/test/testFolder.js';
import { validateConfiguration } from '../configuration/validate.js';
import { afterEvent, emptyState, type StudyEvent, type Worker } from './events.js';
import { openJournal } from './journal.js';
import { type Claim, type Ledger, openLedger } from './ledger.js';
import { createStudy, readStudy, type StudySettings } from './study.js';
import { withStudyLock } from './studyLock.js';
import { watchWorkers } from './workerLife.js';

const root = testFolder();
let folders = 0;
function newFolder(): string {
  const folder = join(root, String(folders++));
  mkdirSync(folder);
  return folder;
}

const settings: StudySettings = {
  configuration: validateConfiguration({ data: { dataset: 'digits' }, epochs: 9 }),
  search: { 'loss.alpha': { kind: 'uniform', low: 0, high: 1 } },
  metric: 'mAP',
  seed: 0,
  eta: 3,
  minEpochs: 1,
};

const worker = (id: string, host = thisProcess().host): Worker => ({ ...thisProcess(), id, host });

async function newLedger(dead: readonly string[] = []): Promise<{ folder: string; ledger: Ledger }> {
  const folder = newFolder();
  await createStudy(folder, settings);
  const ledger = openLedger(folder, settings, ({ id }) => dead.includes(id));
  await ledger.setGoal(3);
  return { folder, ledger };
}

async function claimed(ledger: Ledger, by: Worker): Promise<Claim> {
  const claim = await ledger.claim(by);
  if (typeof claim === 'string') throw new Error(`expected a trial, not '${claim}'`);
  return claim;
}

test('the number of trials may be raised, not lowered', async () => {
  const { ledger } = await newLedger();
  await ledger.setGoal(5);
  expect(ledger.state().goal).toBe(5);
  await expect(ledger.setGoal(4)).rejects.toThrow('has a goal of 5 trials');
  await ledger.setGoal(5);
  expect(ledger.state().goal).toBe(5);
});

describe('the journal', () => {
  const events: StudyEvent[] = [
    { event: 'goal', trials: 7 },
    {
      event: 'start',
      trial: 0,
      attempt: 1,
      worker: worker('ä'),
      folder: 'trials/0000',
      values: { a: 'ü', b: null },
    },
    { event: 'epoch', trial: 0, attempt: 1, epoch: 1, value: 0.5 },
    { event: 'end', trial: 0, attempt: 1, outcome: 'finished', seconds: 1.5 },
  ];

  test('that is cut off anywhere in its last line continues after the last complete one', () => {
    const text = events.map((event) => `${JSON.stringify(event)}\n`).join('');
    const bytes = Buffer.from(text);
    const lastLine = Buffer.from(`${JSON.stringify(events[3])}\n`).length;
    fc.assert(
      fc.property(fc.integer({ min: 1, max: lastLine }), fc.boolean(), (cut, isReadBefore) => {
        const path = join(newFolder(), 'journal.jsonl');
        writeFileSync(path, bytes.subarray(0, bytes.length - cut));
        const journal = openJournal(path);
        const before = isReadBefore ? journal.readNew() : [];
        journal.append([{ event: 'goal', trials: 9 }]);
        expect([...before, ...journal.readNew()]).toEqual([
          ...events.slice(0, 3),
          { event: 'goal', trials: 9 },
        ]);
        expect(readFileSync(path, 'utf8').split('\n')).toHaveLength(5);
      }),
      { numRuns: 50 },
    );
  });

  test('names the line that is not an event', () => {
    const path = join(newFolder(), 'journal.jsonl');
    writeFileSync(path, '{"event":"goal","trials":7}\n{"event":"gaol"}\n');
    expect(() => openJournal(path).readNew()).toThrow(
      `${path}, line 2: not a valid study event: {"event":"gaol"}`,
    );
  });

  test('of a study has one holder for each trial at any time, whatever workers write', () => {
    const trial = fc.nat(3);
    const attempt = fc.integer({ min: 1, max: 4 });
    const anyEvent: fc.Arbitrary<StudyEvent> = fc.oneof(
      fc.record({
        event: fc.constant('start' as const),
        trial,
        attempt,
        worker: fc.constantFrom('a', 'b').map((id) => worker(id)),
        folder: fc.constant('f'),
        values: fc.constant({}),
      }),
      fc.record({ event: fc.constant('back' as const), trial, attempt, cause: fc.constant('died' as const) }),
      fc.record({
        event: fc.constant('end' as const),
        trial,
        attempt,
        outcome: fc.constant('finished' as const),
        seconds: fc.constant(1),
      }),
    );
    fc.assert(
      fc.property(fc.array(anyEvent, { maxLength: 60 }), (written) => {
        let state = emptyState;
        for (const event of written) {
          const next = afterEvent(state, event);
          for (const [number, before] of state.trials.entries()) {
            const after = next.trials[number]!;
            if (before.status === 'finished') expect(after).toBe(before);
            if (after.worker.id !== before.worker.id) expect(after.attempt).toBe(before.attempt + 1);
          }
          state = next;
        }
        expect(state.trials.map(({ number }) => number)).toEqual([...state.trials.keys()]);
      }),
    );
  });
});

describe('the lock', () => {
  const nobody = { ...thisProcess(), pid: spawnSync(process.execPath, ['--version']).pid, token: 'x' };

  test('that a killed process left is taken over', async () => {
    const folder = newFolder();
    writeFileSync(join(folder, 'lock'), JSON.stringify(nobody));
    expect(await withStudyLock(folder, () => 'inside')).toBe('inside');
  });

  test('is free after an error inside', async () => {
    const folder = newFolder();
    const failing = withStudyLock(folder, () => {
      throw new Error('no space left');
    });
    await expect(failing).rejects.toThrow('no space left');
    expect(await withStudyLock(folder, () => 1)).toBe(1);
  });
});

describe('a trial', () => {
  test('goes to one worker, the next trial to the next worker, until none is left', async () => {
    const { ledger } = await newLedger();
    const claims = [await claimed(ledger, worker('a')), await claimed(ledger, worker('b'))];
    claims.push(await claimed(ledger, worker('a')));
    expect(claims.map(({ trial, attempt }) => [trial, attempt])).toEqual([
      [0, 1],
      [1, 1],
      [2, 1],
    ]);
    expect(await ledger.claim(worker('b'))).toBe('wait');
    for (const claim of claims) await ledger.end(claim, 'finished', 1);
    expect(await ledger.claim(worker('b'))).toBe('done');
  });

  test('whose worker died continues with another in the same run; later reports from the dead one are ignored', async () => {
    const { ledger } = await newLedger(['dead']);
    const lost = await claimed(ledger, worker('dead'));
    await ledger.report(lost, 1, 0.5, 1);
    const taken = await claimed(ledger, worker('b'));
    expect(taken).toEqual({ ...lost, attempt: 2 });
    expect(await ledger.report(lost, 2, 0.9, 1)).toBe('taken');
    await ledger.end(lost, 'finished', 1);
    expect(ledger.state().trials[0]).toMatchObject({ status: 'running', history: [0.5], deaths: 1 });
  });

  test('of a silent worker on another machine starts over in another run', async () => {
    const { ledger } = await newLedger(['far']);
    const lost = await claimed(ledger, worker('far', 'elsewhere'));
    const taken = await claimed(ledger, worker('b'));
    expect([lost.folder, taken.folder]).toEqual([join('trials', '0000'), join('trials', '0000-2')]);
  });

  test('that makes progress is restarted however often its process dies', async () => {
    const { ledger } = await newLedger([]);
    for (let epoch = 1; epoch <= 6; epoch++) {
      const claim = await claimed(ledger, worker('a'));
      expect(claim).toMatchObject({ trial: 0, attempt: epoch });
      await ledger.report(claim, epoch, 0.5, 1);
      await ledger.giveBack(claim, 'died');
    }
    expect(ledger.state().trials[0]).toMatchObject({ status: 'waiting', deaths: 1 });
  });

  test('whose process died twice has failed', async () => {
    const { ledger } = await newLedger(['dead']);
    await ledger.giveBack(await claimed(ledger, worker('a')), 'died');
    expect(await claimed(ledger, worker('dead'))).toMatchObject({ trial: 0, attempt: 2 });
    expect(await claimed(ledger, worker('b'))).toMatchObject({ trial: 1 });
    expect(ledger.state().trials[0]).toMatchObject({
      status: 'failed',
      reason: expect.stringContaining('its process died 2 times'),
    });
  });

  test('whose process died twice says so and how, before what the last process printed', async () => {
    const { ledger } = await newLedger([]);
    for (let deaths = 0; deaths < 2; deaths++)
      await ledger.giveBack(
        await claimed(ledger, worker('a')),
        'died',
        'epoch 3: loss 0.2\nwas killed by SIGKILL',
      );
    const [first, ...printed] = ledger.state().trials[0]?.reason?.split('\n') ?? [];
    expect(first).toBe('its process died 2 times without completing an epoch (was killed by SIGKILL)');
    expect(printed[0]).toBe('epoch 3: loss 0.2');
  });

  test('that was interrupted resumes, however often', async () => {
    const { ledger } = await newLedger();
    for (let attempt = 1; attempt < 6; attempt++) {
      const claim = await claimed(ledger, worker('a'));
      expect(claim).toMatchObject({ trial: 0, attempt });
      await ledger.giveBack(claim, 'interrupted');
    }
  });

  test('repeats the epochs after its checkpoint', async () => {
    const { ledger } = await newLedger(['dead']);
    const lost = await claimed(ledger, worker('dead'));
    for (const epoch of [1, 2, 3]) await ledger.report(lost, epoch, epoch / 10, 1);
    const taken = await claimed(ledger, worker('b'));
    await ledger.report(taken, 3, 0.35, 1);
    expect(ledger.state().trials[0]?.history).toEqual([0.1, 0.2, 0.35]);
  });
});

test('a worker counts as dead once its heartbeat stops, by the observer’s clock, and never while it continues', () => {
  const folder = newFolder();
  mkdirSync(join(folder, 'workers'));
  const [silent, living] = [worker('silent', 'elsewhere'), worker('living', 'elsewhere')];
  let now = 0;
  const isDead = watchWorkers(folder, () => now);
  writeFileSync(join(folder, 'workers', 'silent'), '41');
  for (now = 0; now < 200_000; now += 5000) {
    writeFileSync(join(folder, 'workers', 'living'), String(now));
    expect([isDead(silent), isDead(living)]).toEqual([now > 60_000, false]);
  }
});

describe('a study', () => {
  test('that exists accepts the same settings and refuses others, naming the field', async () => {
    const folder = newFolder();
    await createStudy(folder, settings);
    await createStudy(folder, settings);
    const otherSpace: StudySettings = {
      ...settings,
      search: { 'loss.alpha': { kind: 'uniform', low: 0, high: 0.5 } },
    };
    await expect(createStudy(folder, otherSpace)).rejects.toThrow(
      'the study has search.loss.alpha.high 1, not 0.5',
    );
    const { configuration } = settings;
    const otherLoss = {
      ...settings,
      configuration: { ...configuration, loss: { ...configuration.loss, gamma: 3 } },
    };
    await expect(createStudy(folder, otherLoss)).rejects.toThrow('configuration.loss.gamma 2, not 3');
  });

  test('is created where a process was killed before it could', async () => {
    const folder = newFolder();
    for (const name of ['lock', '.partial-4711-0123456789abcdef']) writeFileSync(join(folder, name), '{');
    await createStudy(folder, settings);
    expect(readStudy(folder)).toMatchObject({ seed: settings.seed });
  });

  test('is not created in a folder with other files', async () => {
    const folder = newFolder();
    writeFileSync(join(folder, 'thesis.tex'), '');
    await expect(createStudy(folder, settings)).rejects.toThrow('is not empty and holds no study');
  });
});
