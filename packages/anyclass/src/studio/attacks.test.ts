// Studio where things go wrong at once: two windows, two servers, a server that is killed while it saves, and a training that is stopped.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { RunList } from '@anyclass/studio';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { testFolder } from '../../../files/test/testFolder.js';
import { program } from '../../test/program.mjs';
import { smallRun, trainSmallRun } from '../../test/studioRun.js';
import { asked, cookieOf } from '../../test/studioRuns.js';
import { readModelRecord } from '../inference/modelRecord.js';
import { loadModel } from '../runs/modelFile.js';
import { openStudio } from './studio.js';

const folder = testFolder();
const run = join(folder, 'digits');
const decisions = join(run, 'decisions');
const children = new Set<ChildProcess>();
beforeAll(() => trainSmallRun(run), 120_000);
afterAll(() => {
  for (const child of children) child.kill('SIGKILL');
});

const saving = (url: string, cookie: string, name: string, falseAlarms = 0.2) =>
  asked(url, '/api/decisions?run=digits', {
    method: 'POST',
    headers: { cookie },
    body: JSON.stringify({ name, falseAlarms, missed: null }),
  });

function started(...words: string[]): ChildProcess {
  const child = spawn(process.execPath, [program, ...words], { stdio: ['ignore', 'pipe', 'ignore'] });
  children.add(child);
  return child;
}

async function addressOf(child: ChildProcess): Promise<string> {
  if (child.stdout)
    for await (const line of createInterface({ input: child.stdout })) return JSON.parse(line).url;
  throw new Error('the server ended');
}

test('two windows and two servers that save at once: one file of a name, and whoever comes second is told', async () => {
  await using one = await openStudio([folder]);
  await using two = await openStudio([folder]);
  const [first, second] = [await cookieOf(one.url), await cookieOf(two.url)];
  const answers = await Promise.all([
    saving(one.url, first, 'twice'),
    saving(one.url, first, 'twice', 0.1),
    saving(two.url, second, 'twice', 0.3),
  ]);
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 422, 422]);
  const told = answers.filter(({ status }) => status === 422).map(({ body }) => JSON.parse(body).detail);
  for (const text of told) expect(text).toMatch(/already exists|another window or server/);
  expect(readdirSync(decisions)).toEqual(['twice.safetensors']);
  expect((await saving(two.url, second, 'after')).status).toBe(200);
});

test('a server that is killed while it saves leaves whole files or none, and the next one saves again', async () => {
  for (const milliseconds of [0, 15, 60]) {
    const child = started('studio', folder, '--json');
    const url = await addressOf(child);
    const cookie = await cookieOf(url);
    const name = `killed-${milliseconds}`;
    const answer = saving(url, cookie, name).catch(() => undefined);
    await new Promise((done) => setTimeout(done, milliseconds));
    child.kill('SIGKILL');
    await once(child, 'exit');
    await answer;
  }
  for (const name of readdirSync(decisions).filter((each) => each.endsWith('.safetensors'))) {
    const { network } = loadModel(join(decisions, name));
    network.dispose();
  }
  await using server = await openStudio([folder]);
  expect((await saving(server.url, await cookieOf(server.url), 'again')).status).toBe(200);
  expect(readModelRecord(join(decisions, 'again.safetensors')).description.decision?.budget).toMatchObject({
    falseAlarms: 0.2,
  });
});

test('a training is followed, stopped from the list, and can be resumed', async () => {
  await using server = await openStudio([folder]);
  const cookie = await cookieOf(server.url);
  writeFileSync(join(folder, 'long.json'), JSON.stringify({ ...smallRun, epochs: 200 }));
  const child = started('train', join(folder, 'long.json'), '--run', join(folder, 'long'));
  const ended = once(child, 'exit');
  const row = async () => {
    const { body } = await asked(server.url, '/api/runs', { headers: { cookie } });
    const { rows }: RunList = JSON.parse(body);
    return rows.find(({ id }) => id === 'long');
  };
  // The list is brought up to date while a page is open.
  const page = await fetch(new URL('/api/live', server.url), { headers: { cookie } });
  await expect
    .poll(async () => (await row())?.doing, { timeout: 40_000 })
    .toMatch(/epoch \d+ of 200|validation/);
  expect(await row()).toMatchObject({ state: 'running', epochs: 200, resume: '' });
  const stopped = await asked(server.url, '/api/run/stop?run=long', {
    method: 'POST',
    headers: { cookie },
  });
  expect(stopped.status).toBe(200);
  await ended;
  await expect.poll(async () => (await row())?.state, { timeout: 20_000 }).toBe('interrupted');
  expect((await row())?.resume).toContain('--resume');
  expect(existsSync(join(folder, 'long/checkpoints'))).toBe(true);
  await page.body?.cancel();
});
