// Runs that were made to harm who looks at them: pipes, links and folders in the place of files, in each place that Studio reads or writes.

import { execFileSync } from 'node:child_process';
import { existsSync, lstatSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { testFolder } from '../../../files/test/testFolder.js';
import { asked, cookieOf, fakeRun } from '../../test/studioRuns.js';
import { openStudio, type StudioServer } from './studio.js';

const folder = testFolder();
const outside = testFolder();
const unexpected: unknown[] = [];

let server: StudioServer;
let cookie: string;
beforeAll(async () => {
  fakeRun(join(folder, 'loop'), { end: 'finished' });
  for (const name of ['summary.json', 'lock']) symlinkSync(name, join(folder, 'loop', name));
  fakeRun(join(folder, 'run'), { end: 'finished' });
  server = await openStudio([folder], { onUnexpected: (error) => void unexpected.push(error) });
  cookie = await cookieOf(server.url);
});
afterAll(() => server.close());

const ask = async (path: string, body?: unknown) => {
  const method = body === undefined ? 'GET' : 'POST';
  const answer = await asked(server.url, path, { method, headers: { cookie }, body: JSON.stringify(body) });
  return { status: answer.status, detail: String(JSON.parse(answer.body).detail ?? '') };
};

const pipe = (path: string) => void execFileSync('mkfifo', [path]);

/** Puts something in the place of a file of the run, for as long as the work takes. */
async function inPlace(name: string, make: (path: string) => void, work: () => Promise<void>): Promise<void> {
  const path = join(folder, 'run', name);
  mkdirSync(dirname(path), { recursive: true });
  make(path);
  try {
    await work();
  } finally {
    rmSync(path, { recursive: true });
  }
}

test('a run whose files are links to themselves is listed', async () => {
  const { body } = await asked(server.url, '/api/runs', { headers: { cookie } });
  expect(body).toContain('"id":"loop"');
});

describe.each([
  ['summary.json', '/api/run?run=run'],
  ['report.html', '/api/run/report?run=run'],
  ['model.safetensors', '/api/decisions?run=run'],
  ['margins.csv', '/api/look/suspects?run=run'],
  ['scores/calibration.json', '/api/scores?run=run'],
  ['scores/validation.csv', '/api/look/table?run=run'],
  ['decisions/test-seen.jsonl', '/api/scores?run=run&split=test'],
])('%s', (name, path) => {
  test.each<[kind: string, make: (path: string) => void]>([
    ['a named pipe', pipe],
    ['a folder', (at) => void mkdirSync(at)],
    ['outside', (at) => symlinkSync('/dev/zero', at)],
    ['leads nowhere', (at) => symlinkSync('nowhere', at)],
  ])('is refused as %s, by name', (kind, make) =>
    inPlace(name, make, async () => {
      const { status, detail } = await ask(path);
      expect([status, detail]).toEqual([422, expect.stringContaining(kind)]);
      expect(detail).toContain(join('run', name));
    }),
  );
});

describe('nothing is written where a link leads out of the folder', () => {
  const isUntouched = () => expect(readdirSync(outside)).toEqual([]);

  test('for the note that test was seen', () =>
    inPlace(
      'decisions',
      (at) => {
        rmSync(at, { recursive: true, force: true });
        symlinkSync(outside, at);
      },
      async () => {
        expect((await ask('/api/test/open', { runs: ['run'], view: 'look' })).status).toBe(422);
        isUntouched();
      },
    ));

  test('for a decision', () =>
    inPlace(
      'decisions/mine.safetensors',
      (at) => symlinkSync(join(outside, 'x'), at),
      async () => {
        const asked = { name: 'mine', falseAlarms: 0.1, missed: null };
        expect((await ask('/api/decisions?run=run', asked)).status).toBe(422);
        isUntouched();
      },
    ));

  test('for corrections', async () => {
    symlinkSync(outside, join(folder, 'corrections'));
    const label = { name: 'a', labels: { crack: 1 }, author: '', replaces: null };
    expect((await ask('/api/mend?run=run', [label])).detail).toContain('outside of the folders');
    isUntouched();
  });

  test('for runs that are put away', async () => {
    symlinkSync(outside, join(folder, '.trash'));
    expect((await ask('/api/run/delete?run=run', {})).status).toBe(422);
    expect(existsSync(join(folder, 'run/config.json'))).toBe(true);
    isUntouched();
  });
});

test('a lock that is a pipe or a device belongs to nobody', async () => {
  await inPlace('lock', pipe, async () => expect((await ask('/api/run/stop?run=run', {})).status).toBe(422));
  await inPlace(
    'lock',
    (at) => symlinkSync('/dev/zero', at),
    async () => expect((await ask('/api/run/stop?run=run', {})).status).toBe(422),
  );
});

test('a queue that is no file, or whose labels are none, is refused', async () => {
  const queue = { queue: 'mine', model: 'run', classes: ['crack'], among: 1, images: [] };
  pipe(join(folder, 'pipe.json'));
  expect((await ask('/api/mend/queue?queue=pipe.json')).status).toBe(404);
  writeFileSync(join(folder, 'q.json'), JSON.stringify(queue));
  pipe(join(folder, 'q-labels.csv'));
  expect((await ask('/api/mend?queue=q.json')).detail).toContain('a named pipe');
  expect(lstatSync(join(folder, 'q-labels.csv')).isFIFO()).toBe(true);
});

test('only images of a queue are labeled in it', async () => {
  const queue = { queue: 'mine', model: 'run', classes: ['crack'], among: 1, images: [] };
  writeFileSync(join(folder, 'few.json'), JSON.stringify(queue));
  const label = { name: '../elsewhere.png', labels: { crack: 1 }, author: '', replaces: null };
  expect((await ask('/api/mend?queue=few.json', [label])).detail).toContain("no image '../elsewhere.png'");
  expect(existsSync(join(folder, 'few-labels.csv'))).toBe(false);
});

test('none of this was an error of the server', () => expect(unexpected).toEqual([]));
