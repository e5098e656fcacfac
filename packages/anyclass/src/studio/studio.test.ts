import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RunDetails, RunList, RunLog, RunRow } from '@anyclass/studio';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { testFolder } from '../../../files/test/testFolder.js';
import { asked, cookieOf, fakeRun, logEpoch } from '../../test/studioRuns.js';
import { openStudio, type StudioServer } from './studio.js';

const outside = testFolder();
const folder = testFolder();
const at = (name: string) => join(folder, name);
const hostileName = '<img src=x onerror=alert(1)>';

let server: StudioServer;
let cookie: string;
beforeAll(async () => {
  fakeRun(at('a/seed1'), { end: 'finished', configuration: { data: { dataset: 'digits' }, seed: 1 } });
  fakeRun(at('a/seed2'), { end: 'finished', configuration: { data: { dataset: 'digits' }, seed: 2 } });
  fakeRun(at('failed'), { end: 'failed', configuration: { data: { dataset: 'digits' }, epochs: 9 } });
  fakeRun(at('live'), { isLocked: true });
  fakeRun(at('lost'), { epochs: 1 });
  fakeRun(at(hostileName), { end: 'interrupted' });
  fakeRun(join(outside, 'secret'), { end: 'finished' });
  symlinkSync(join(outside, 'secret'), at('linked'));
  mkdirSync(at('other'));
  writeFileSync(at('other/config.json'), '{"name":"another program"}');
  server = await openStudio([folder]);
  cookie = await cookieOf(server.url);
});
afterAll(async () => {
  await server.close();
});

const get = async <Body>(path: string): Promise<Body> => {
  const { status, body } = await asked(server.url, path, { headers: { cookie } });
  expect([status, body]).toEqual([200, expect.anything()]);
  return JSON.parse(body);
};
const post = (path: string) => asked(server.url, path, { method: 'POST', headers: { cookie } });
const row = (list: RunList, id: string): RunRow | undefined => list.rows.find((each) => each.id === id);

describe('the list', () => {
  test('has every run below the folder, with its state, and none that a link leads to', async () => {
    const list = await get<RunList>('/api/runs');
    expect(Object.fromEntries(list.rows.map(({ id, state }) => [id, state]))).toEqual({
      'a/seed1': 'finished',
      'a/seed2': 'finished',
      failed: 'failed',
      live: 'running',
      lost: 'lost',
      [hostileName]: 'interrupted',
    });
    expect(row(list, 'failed')).toMatchObject({ message: 'the disk is full', metric: 'mAP', epoch: 3 });
    expect(row(list, 'failed')?.resume).toBe(`anyclass train --resume ${at('failed')}`);
    expect(row(list, 'live')).toMatchObject({
      epoch: 3,
      epochs: 4,
      progress: 0.625,
      best: 0.30000000000000004,
    });
    expect(row(list, 'live')?.secondsLeft).toBeGreaterThanOrEqual(12);
    expect(row(list, 'live')?.curve).toEqual([0.1, 0.2, 0.3]);
  });

  test('says whether a run is about images or rows of features', async () => {
    const own = testFolder();
    for (const name of ['tresnet-s', 'mlp'] as const)
      fakeRun(join(own, name), { configuration: { data: { dataset: 'digits' }, network: { name } } });
    const other = await openStudio([own]);
    const headers = { cookie: await cookieOf(other.url) };
    const { rows }: RunList = JSON.parse((await asked(other.url, '/api/runs', { headers })).body);
    await other.close();
    expect(Object.fromEntries(rows.map(({ id, instance }) => [id, instance]))).toEqual({
      'tresnet-s': 'image',
      mlp: 'row',
    });
  });

  test('names only the fields that differ, and groups what differs in its seed alone', async () => {
    const list = await get<RunList>('/api/runs');
    expect(list.differing).toEqual(['epochs']);
    expect(row(list, 'failed')?.settings).toEqual({ epochs: 9 });
    expect(row(list, 'a/seed1')?.group).toBe(row(list, 'a/seed2')?.group);
    expect(row(list, 'a/seed1')?.group).not.toBe(row(list, 'failed')?.group);
  });

  test('tells changes to open pages', async () => {
    const { hostname: host, port } = new URL(server.url);
    const answer = await fetch(`http://${host}:${port}/api/live`, { headers: { cookie } });
    const reader = answer.body!.getReader();
    let text = '';
    const until = async (found: RegExp) => {
      while (!found.test(text)) text += new TextDecoder().decode((await reader.read()).value);
    };
    await until(/event: list/);
    logEpoch(at('live'), 4);
    await until(/event: changes\ndata: .*"id":"live".*"epoch":4/);
    fakeRun(at('new'), { end: 'finished' });
    await until(/event: changes\ndata: .*"id":"new"/);
    rmSync(at('new'), { recursive: true });
    await until(/"removed":\["new"\]/);
    await reader.cancel();
  });
});

describe('a run', () => {
  test('has its log, which is read on from where it was read to', async () => {
    const log = await get<RunLog>('/api/run/log?run=failed');
    expect(log.epochs.map(({ epoch, mAP }) => [epoch, mAP])).toEqual([
      [1, 0.1],
      [2, 0.2],
      [3, expect.closeTo(0.3)],
    ]);
    expect(log.steps.at).toEqual([0.5, 1.5, 2.5]);
    expect(log.steps.gpuMemory).toEqual([2 ** 30, 2 ** 30, 2 ** 30]);
    expect(log.steps.memory).toEqual([null, null, null]);
    expect(log.lines.at(-1)?.text).toBe('failed: the disk is full');
    const more = await get<RunLog>(`/api/run/log?run=failed&from=${log.offset}`);
    expect(more).toMatchObject({ offset: log.offset, isWhole: false, epochs: [], lines: [] });
  });

  test('has its configuration; one that is deleted while it is shown is not found', async () => {
    const details = await get<RunDetails>('/api/run?run=a%2Fseed1');
    expect(details.configuration).toContainEqual(['seed', 1]);
    fakeRun(at('gone'), { end: 'finished' });
    await post('/api/run/archive?run=lost'); // looks for runs
    await post(`/api/run/restore?run=${encodeURIComponent('.archive/lost')}`);
    rmSync(at('gone'), { recursive: true });
    for (const path of ['/api/run?run=gone', '/api/run/log?run=gone'])
      expect((await asked(server.url, path, { headers: { cookie } })).status).toBe(404);
  });
});

describe('what can be done to a run', () => {
  test('it is archived and taken back, and deleted to a folder of its own', async () => {
    fakeRun(at('old'), { end: 'finished' });
    const list = () => get<RunList>('/api/runs');
    await post('/api/run/archive?run=a%2Fseed2');
    expect(row(await list(), '.archive/a/seed2')?.isArchived).toBe(true);
    await post(`/api/run/restore?run=${encodeURIComponent('.archive/a/seed2')}`);
    expect(row(await list(), 'a/seed2')?.isArchived).toBe(false);
    const { body } = await post('/api/run/delete?run=old');
    expect(JSON.parse(body)).toEqual({ run: 'old', place: join(server.folders[0]!, '.trash/old') });
    expect(existsSync(at('.trash/old/config.json'))).toBe(true);
    expect(row(await list(), 'old')).toBeUndefined();
  });

  test('one that is trained is neither moved nor deleted, and one without a process is not stopped', async () => {
    const { status, body } = await post('/api/run/delete?run=live');
    expect([status, JSON.parse(body).detail]).toEqual([422, expect.stringContaining('stop it first')]);
    expect(existsSync(at('live/config.json'))).toBe(true);
    expect(JSON.parse((await post('/api/run/stop?run=failed')).body).detail).toContain('no process');
  });
});

describe('who may ask', () => {
  test('only who has the cookie, for which the printed address is exchanged', async () => {
    for (const path of ['/', '/api/runs', '/page/main.js', '/api/live', '/nowhere', '/?token=wrong'])
      expect((await asked(server.url, path)).status).toBe(401);
    const { search } = new URL(server.url);
    const { status, headers } = await asked(server.url, `/${search}&view=run&run=a%2Fseed1`);
    expect([status, headers['location']]).toEqual([303, '/?view=run&run=a%2Fseed1']);
    expect(String(headers['set-cookie'])).toMatch(/HttpOnly; SameSite=Strict/);
    expect(String(headers['set-cookie'])).not.toContain(search.slice('?token='.length));
    const { headers: ofPage, status: found } = await asked(server.url, '/', { headers: { cookie } });
    expect([found, ofPage['content-security-policy']]).toEqual([
      200,
      expect.stringMatching(/^default-src 'none'; script-src 'self';/),
    ]);
  });

  test('no other host, origin or site', async () => {
    const { host } = new URL(server.url);
    const status = async (headers: Record<string, string>, method = 'GET', path = '/api/runs') =>
      (await asked(server.url, path, { headers: { host, cookie, ...headers }, method })).status;
    expect(await status({ host: 'evil.example' })).toBe(403);
    expect(await status({ origin: 'http://evil.example' })).toBe(403);
    expect(await status({ origin: 'null' })).toBe(403);
    expect(await status({ origin: `http://localhost:1` }, 'POST', '/api/run/delete?run=failed')).toBe(403);
    expect(await status({ 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'no-cors' })).toBe(403);
    expect(await status({ 'sec-fetch-site': 'cross-site' }, 'POST', '/api/run/delete?run=failed')).toBe(403);
    expect(await status({})).toBe(200);
    expect(existsSync(at('failed'))).toBe(true);
  });

  test('two servers at once do not take each other’s cookies', async () => {
    await using other = await openStudio([folder]);
    const second = await cookieOf(other.url);
    expect(second.split('=')[0]).not.toBe(cookie.split('=')[0]);
    const both = { headers: { cookie: `${cookie}; ${second}` } };
    expect((await asked(other.url, '/api/runs', both)).status).toBe(200);
    expect((await asked(other.url, '/api/runs', { headers: { cookie } })).status).toBe(401);
  });

  test('ids and names of files lead nowhere else', async () => {
    writeFileSync(join(outside, 'events.jsonl'), '{"time":"x","type":"note","text":"secret"}\n');
    const tries = [
      '/page/..%2F..%2Fpackage.json',
      '/page/%2e%2e/%2e%2e/package.json',
      `/api/run/log?run=${encodeURIComponent(`../${outside.split('/').at(-1)}`)}`,
      `/api/run/log?run=${encodeURIComponent(outside)}`,
      '/api/run/log?run=linked',
      '/api/run/report?run=..',
      '/api/run?run=a/../../etc',
      '/api/run?run=other',
    ];
    for (const path of tries)
      expect((await asked(server.url, path, { headers: { cookie } })).status).toBe(404);
    // A file of a run that is a link out of the folder.
    rmSync(at('lost/events.jsonl'));
    symlinkSync(join(outside, 'events.jsonl'), at('lost/events.jsonl'));
    expect((await asked(server.url, '/api/run/log?run=lost', { headers: { cookie } })).status).toBe(422);
  });

  test('targets that are no addresses are refused like all others', async () => {
    for (const path of ['//', '//[', '/\\', '//:99999/?token=x'])
      expect((await asked(server.url, path)).status).toBe(401);
  });

  test('a report runs apart from the page, since it may come from anywhere', async () => {
    writeFileSync(at('failed/report.html'), '<script>parent.document.body</script>');
    const { headers, body } = await asked(server.url, '/api/run/report?run=failed', { headers: { cookie } });
    expect(headers['content-security-policy']).toMatch(
      /^sandbox allow-scripts allow-downloads; default-src 'none'/,
    );
    expect(body).toBe(readFileSync(at('failed/report.html'), 'utf8'));
  });
});

test('a folder that does not exist is named', async () => {
  await expect(openStudio([at('nowhere')])).rejects.toThrow(/nowhere: no such folder/);
  await expect(openStudio([at('other/config.json')])).rejects.toThrow(/is a file/);
});
