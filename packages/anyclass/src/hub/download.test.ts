import { createHash, randomBytes } from 'node:crypto';
import {
  existsSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { usualPatience } from '@anyclass/torch/downloads';
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { commit, fakeHub, gitHash, sha256 } from '../../test/fakeHub.mjs';
import type { RunEvent } from '../events/runEvent.js';
import { addressFile, addressPath, recordPath } from './addressFile.js';
import { type DownloadOptions, hubFile } from './download.js';
import { blobPath } from './hubCache.js';
import { NotOnServer } from './problems.js';
import type { HubSettings } from './settings.js';

const large = randomBytes(600_000);
const small = Buffer.from('{"architecture": "resnet18"}\n');
const folder = mkdtempSync(join(tmpdir(), 'anyclass-hub-'));
const hub = await fakeHub({ 'model.safetensors': large, 'small.json': small, 'deep/er/model.bin': large });
afterAll(async () => {
  await hub.close();
  rmSync(folder, { recursive: true });
});

const patience = { ...usualPatience, tries: 4, firstPause: 1, longestPause: 1 };
const wanted = { repository: 'tester/network', revision: 'main', file: 'model.safetensors' };

let settings: HubSettings;
let events: RunEvent[];
let options: DownloadOptions;
beforeEach(() => {
  const home = mkdtempSync(join(folder, 'home-'));
  settings = {
    endpoint: hub.state.endpoint,
    token: 'secret-token',
    cache: join(home, 'hub'),
    addressCache: join(home, 'weights'),
    isOffline: false,
  };
  events = [];
  options = { settings, patience, onEvent: (event) => void events.push(event) };
  Object.assign(hub.state, { requests: [], bytesSent: 0, failures: [], refusals: [], version: 'first' });
});
afterEach(() => vi.restoreAllMocks());

const seen = (server: 'hub' | 'storage', method = 'GET') =>
  hub.state.requests.filter((request) => request.server === server && request.method === method);

/** What is left of an unfinished download. */
function leftovers(): string[] {
  return existsSync(settings.cache)
    ? readdirSync(settings.cache, { recursive: true, encoding: 'utf8' }).filter((name) =>
        /incomplete|lock$/.test(name),
      )
    : [];
}

async function expectWhole(): Promise<void> {
  const { path } = await hubFile(wanted, options);
  expect(sha256(readFileSync(path))).toBe(sha256(large));
  expect(leftovers()).toEqual([]);
}

test("a large file comes from the second server into Python's layout, verified and linked", async () => {
  const { path, commit: found } = await hubFile(wanted, options);
  const repository = join(settings.cache, 'models--tester--network');
  expect(path).toBe(join(repository, 'snapshots', commit, 'model.safetensors'));
  expect(found).toBe(commit);
  expect(readlinkSync(path)).toBe(`../../blobs/${sha256(large)}`);
  expect(readFileSync(join(repository, 'refs', 'main'), 'utf8')).toBe(commit);
  expect(readFileSync(path).equals(large)).toBe(true);
  expect(leftovers()).toEqual([]);
  const progress = events.flatMap((event) => (event.type === 'progress' ? [event] : []));
  expect(progress.at(-1)).toMatchObject({ done: large.length, total: large.length, unit: 'bytes' });
});

test("a small file is verified by git's hash, behind a redirect on the same server", async () => {
  const { path } = await hubFile({ ...wanted, file: 'small.json' }, options);
  expect(readlinkSync(path)).toBe(`../../blobs/${gitHash(small)}`);
  expect(readFileSync(path).equals(small)).toBe(true);
});

test('the token is seen by the first server only, and no message tells the signature of an address', async () => {
  hub.state.failures.push('reset', '500', 'page');
  await expect(hubFile(wanted, options)).rejects.toThrow(/web page/);
  const tokens = (server: 'hub' | 'storage') =>
    new Set(
      hub.state.requests
        .filter((request) => request.server === server)
        .map(({ headers }) => headers.authorization),
    );
  expect(tokens('hub')).toEqual(new Set(['Bearer secret-token']));
  expect(seen('storage').length).toBe(3);
  expect(tokens('storage')).toEqual(new Set([undefined]));
  expect(JSON.stringify(events)).not.toContain('secret');
});

test('a file that is there is used without a request; with refresh the hub is asked, and nothing is transferred again', async () => {
  await hubFile(wanted, options);
  hub.state.requests = [];
  await hubFile(wanted, options);
  await hubFile({ ...wanted, revision: commit }, { ...options, refresh: true });
  expect(hub.state.requests).toEqual([]);
  await hubFile(wanted, { ...options, refresh: true });
  expect(hub.state.requests.map(({ method }) => method)).toEqual(['HEAD']);
});

describe('resuming', () => {
  test('a broken connection is gone on with where it broke, for this version of the file', async () => {
    hub.state.failures.push('reset', 'truncate');
    await expectWhole();
    const ranges = seen('storage').map(({ headers }) => [headers.range, headers['if-range']]);
    expect(ranges[0]).toEqual([undefined, undefined]);
    expect(ranges.slice(1)).toEqual([
      [expect.stringMatching(/^bytes=\d+-$/), '"first"'],
      [expect.stringMatching(/^bytes=\d+-$/), '"first"'],
    ]);
    expect(hub.state.bytesSent).toBeLessThan(1.1 * large.length);
  });

  test('a server that sends everything instead of a part is taken from the start', async () => {
    hub.state.failures.push('reset', 'all');
    await expectWhole();
  });

  test('a range that the server does not have, or another one than asked for, starts over', async () => {
    hub.state.failures.push('reset', '416');
    await expectWhole();
    rmSync(settings.cache, { recursive: true });
    hub.state.failures.push('reset', 'shifted');
    await expectWhole();
  });

  test('a version that changed on the way starts over', async () => {
    hub.state.failures.push('reset', 'changed');
    await expectWhole();
    expect(seen('storage').map(({ headers }) => headers['if-range'])).toEqual([undefined, '"first"']);
  });

  test('bytes that were damaged while they waited are found, and start over once', async () => {
    hub.state.failures.push('reset', 'page');
    await expect(hubFile(wanted, options)).rejects.toThrow();
    const partial = `${blobPath(settings.cache, wanted.repository, sha256(large))}.anyclass.incomplete`;
    const bytes = readFileSync(partial);
    writeFileSync(partial, bytes.fill(0, 100, 200));
    await expectWhole();
    expect(JSON.stringify(events)).toContain('starting over');
  });

  test('a partial file without a note of its version, or longer than the file, starts over', async () => {
    const partial = `${blobPath(settings.cache, wanted.repository, sha256(large))}.anyclass.incomplete`;
    hub.state.failures.push('reset', 'page');
    await expect(hubFile(wanted, options)).rejects.toThrow();
    rmSync(`${partial}.json`);
    await expectWhole();
    rmSync(settings.cache, { recursive: true });
    hub.state.failures.push('reset', 'page');
    await expect(hubFile(wanted, options)).rejects.toThrow();
    truncateSync(partial, large.length + 1);
    await expectWhole();
  });

  test('a partial file that was complete already is only verified', async () => {
    hub.state.failures.push('reset', 'page');
    await expect(hubFile(wanted, options)).rejects.toThrow();
    writeFileSync(`${blobPath(settings.cache, wanted.repository, sha256(large))}.anyclass.incomplete`, large);
    hub.state.requests = [];
    await expectWhole();
    expect(seen('storage')).toEqual([]);
  });
});

describe('what is refused', () => {
  test('wrong bytes: nothing is kept, and the message names both hashes', async () => {
    hub.state.failures.push('wrong');
    const zeros = createHash('sha256').update(Buffer.alloc(large.length)).digest('hex');
    await expect(hubFile(wanted, options)).rejects.toThrow(new RegExp(`${zeros}.*${sha256(large)}`));
    expect(leftovers()).toEqual([]);
    expect(readdirSync(join(settings.cache, 'models--tester--network', 'blobs'))).toEqual([]);
  });

  test('wrong bytes behind a broken connection, again and again: two whole downloads and no more', async () => {
    hub.state.failures.push('reset', 'wrong', 'reset', 'wrong', 'reset', 'wrong');
    await expect(hubFile(wanted, options)).rejects.toThrow(/other bytes than published/);
    expect(seen('storage').length).toBe(4);
  });

  test('a web page, more bytes than the file has, and a file that the hub does not have', async () => {
    hub.state.failures.push('page');
    await expect(hubFile(wanted, options)).rejects.toThrow(/model\.safetensors.*web page/);
    hub.state.failures.push('longer');
    await expect(hubFile(wanted, options)).rejects.toThrow(/601000 bytes; expected 600000/);
    await expect(hubFile({ ...wanted, file: 'absent.bin' }, options)).rejects.toBeInstanceOf(NotOnServer);
  });

  test.each([
    [{ ...wanted, file: '../../../token' }],
    [{ ...wanted, file: 'a/../../b' }],
    [{ ...wanted, file: '/etc/passwd' }],
    [{ ...wanted, file: 'a\\b' }],
    [{ ...wanted, file: '' }],
    [{ ...wanted, revision: '../main' }],
    [{ ...wanted, repository: '../network' }],
    [{ ...wanted, repository: 'network' }],
    [{ ...wanted, repository: 'a/b/c' }],
  ])('a name that leads out of its place: %j', async (name) => {
    await expect(hubFile(name, options)).rejects.toThrow(/is not a/);
    expect(hub.state.requests).toEqual([]);
  });

  test('hashes and commits from the server that are none, for they become names of files', async () => {
    const answers = (headers: Record<string, string>) =>
      vi.spyOn(globalThis, 'fetch').mockResolvedValueOnce(new Response(null, { headers }));
    answers({ 'x-repo-commit': commit, etag: '"../../../../evil"' });
    await expect(hubFile(wanted, options)).rejects.toThrow(/no hash to verify/);
    answers({ 'x-repo-commit': '../../evil', etag: `"${sha256(large)}"` });
    await expect(hubFile(wanted, options)).rejects.toThrow(/does not respond like a Hugging Face hub/);
    expect(existsSync(settings.cache)).toBe(false);
  });

  test('a redirect from an encrypted server to one that is not', async () => {
    vi.spyOn(globalThis, 'fetch').mockResolvedValueOnce(
      new Response(null, { status: 302, headers: { location: 'http://127.0.0.1/x' } }),
    );
    const file = { address: 'https://weights.example/a.pth', sha256: 'f'.repeat(64) };
    await expect(addressFile(file, options)).rejects.toThrow(/not encrypted/);
    await expect(addressFile({ ...file, address: 'http://weights.example/a.pth' }, options)).rejects.toThrow(
      /https:/,
    );
  });
});

describe('trying again', () => {
  test('after 429 with Retry-After, 500 and a first server that is busy', async () => {
    hub.state.failures.push('429', '500');
    hub.state.refusals.push(503, 429);
    await expectWhole();
    expect(events.filter(({ type }) => type === 'note').length).toBe(4);
  });

  test('gives up after some tries without progress, with the reason', async () => {
    hub.state.failures.push('500', '500', '500', '500', '500');
    await expect(hubFile(wanted, options)).rejects.toThrow(/model\.safetensors.*answered 500.*tried 4 times/);
    hub.state.failures = Array<'reset'>(8).fill('reset'); // each of them brings some bytes
    await expectWhole();
  });

  test('a server that falls silent is given up and asked again', async () => {
    hub.state.failures.push('silent');
    options = { ...options, patience: { ...patience, silence: 200 } };
    await expectWhole();
    expect(JSON.stringify(events)).toContain('silent');
  });

  test('a closed port is told in words', async () => {
    options = { ...options, settings: { ...settings, endpoint: 'http://127.0.0.1:9' } };
    await expect(hubFile(wanted, options)).rejects.toThrow(/127\.0\.0\.1:9 cannot be reached.*tried 4 times/);
  });

  test('refused access names what to set, and is not tried again', async () => {
    hub.state.refusals.push(401);
    await expect(hubFile(wanted, options)).rejects.toThrow(/401.*HF_TOKEN/);
    expect(hub.state.requests.length).toBe(1);
  });
});

test('a download that is interrupted leaves what arrived, and goes on from there', async () => {
  const controller = new AbortController();
  hub.state.failures.push('reset');
  const stop = (event: RunEvent) => void (event.type === 'note' && controller.abort());
  await expect(
    hubFile(wanted, { ...options, signal: controller.signal, onEvent: stop }),
  ).rejects.toMatchObject({
    name: 'AbortError',
  });
  expect(leftovers().filter((name) => name.endsWith('lock'))).toEqual([]);
  await expectWhole();
  expect(hub.state.bytesSent).toBeLessThan(1.1 * large.length);
});

test('that the hub lacks a file is kept for the commit, and asked again only with refresh', async () => {
  const absent = { ...wanted, file: 'absent.bin' };
  for (let i = 0; i < 2; i++) await expect(hubFile(absent, options)).rejects.toBeInstanceOf(NotOnServer);
  expect(hub.state.requests.length).toBe(1);
  const offline = { ...options, settings: { ...settings, isOffline: true } };
  await expect(hubFile(absent, offline)).rejects.toBeInstanceOf(NotOnServer);
  await expect(hubFile(absent, { ...options, refresh: true })).rejects.toBeInstanceOf(NotOnServer);
  expect(hub.state.requests.length).toBe(2);
});

test('a hash that is known beforehand must be what the hub has', async () => {
  await expect(hubFile({ ...wanted, sha256: '0'.repeat(64) }, options)).rejects.toThrow(/expected 0{64}/);
  expect(seen('storage')).toEqual([]);
  await hubFile({ ...wanted, sha256: sha256(large) }, options);
});

test('offline, no socket is opened: what is there is used, and what is missing is named', async () => {
  await hubFile(wanted, options);
  const fetching = vi.spyOn(globalThis, 'fetch');
  options = { ...options, settings: { ...settings, isOffline: true }, refresh: true };
  expect((await hubFile(wanted, options)).commit).toBe(commit);
  await expect(hubFile({ ...wanted, file: 'small.json' }, options)).rejects.toThrow(
    /tester\/network\/small\.json.*main.*HF_HUB_OFFLINE/,
  );
  const address = { address: 'https://weights.example/a.pth', sha256: 'f'.repeat(64) };
  await expect(addressFile(address, options)).rejects.toThrow(/weights\.example.*HF_HUB_OFFLINE/);
  expect(fetching).not.toHaveBeenCalled();
});

describe('a file of another address', () => {
  const file = () => ({
    address: `${hub.state.storage}/model.safetensors`,
    sha256: sha256(large).slice(0, 8),
  });

  test('is verified by the digits that are known, recorded with all, and not asked for again', async () => {
    hub.state.failures.push('reset');
    const path = await addressFile(file(), options);
    expect(readFileSync(path).equals(large)).toBe(true);
    expect(JSON.parse(readFileSync(recordPath(path), 'utf8'))).toEqual({
      address: file().address,
      sha256: sha256(large),
      size: large.length,
    });
    expect(await addressFile(file(), options)).toBe(path);
    expect(seen('storage').length).toBe(2);
    expect(hub.state.requests.some(({ headers }) => headers.authorization)).toBe(false);
  });

  test('that lost its record to a kill is hashed again', async () => {
    const path = await addressFile(file(), options);
    rmSync(recordPath(path));
    expect(await addressFile(file(), options)).toBe(path);
    expect(existsSync(recordPath(path))).toBe(true);
    expect(seen('storage').length).toBe(1);
  });

  test('with another hash is refused', async () => {
    const wrong = { ...file(), sha256: '0'.repeat(64) };
    await expect(addressFile(wrong, options)).rejects.toThrow(/other bytes than published/);
    expect(existsSync(addressPath(settings, wrong))).toBe(false);
  });
});

test('four calls at once make one transfer', async () => {
  const paths = await Promise.all([1, 2, 3, 4].map(() => hubFile(wanted, options)));
  expect(new Set(paths.map(({ path }) => path)).size).toBe(1);
  expect(seen('storage').length).toBe(1);
  expect(lstatSync(paths[0]!.path).isSymbolicLink()).toBe(true);
});
