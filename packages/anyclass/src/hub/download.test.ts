import { createHash } from 'node:crypto';
import {
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { downloadBench, large, small, wanted } from '../../test/downloadBench.js';
import { commit, gitHash, sha256 } from '../../test/fakeHub.mjs';
import { addressFile, addressPath, recordPath } from './addressFile.js';
import { hubFile } from './download.js';
import { NotOnServer } from './problems.js';

const bench = await downloadBench();
const { hub, leftovers, seen } = bench;
afterEach(() => vi.restoreAllMocks());

test("a large file comes from the second server into Python's layout, verified and linked", async () => {
  const { path, commit: found } = await hubFile(wanted, bench.options);
  const repository = join(bench.settings.cache, 'models--tester--network');
  expect(path).toBe(join(repository, 'snapshots', commit, 'model.safetensors'));
  expect(found).toBe(commit);
  expect(readlinkSync(path)).toBe(`../../blobs/${sha256(large)}`);
  expect(readFileSync(join(repository, 'refs', 'main'), 'utf8')).toBe(commit);
  expect(readFileSync(path).equals(large)).toBe(true);
  expect(leftovers()).toEqual([]);
  const progress = bench.events.flatMap((event) => (event.type === 'progress' ? [event] : []));
  expect(progress.at(-1)).toMatchObject({ done: large.length, total: large.length, unit: 'bytes' });
});

test("a small file is verified by git's hash, behind a redirect on the same server", async () => {
  const { path } = await hubFile({ ...wanted, file: 'small.json' }, bench.options);
  expect(readlinkSync(path)).toBe(`../../blobs/${gitHash(small)}`);
  expect(readFileSync(path).equals(small)).toBe(true);
});

test('only the first server sees the token, and no message reveals the signature of an address', async () => {
  hub.state.failures.push('reset', '500', 'page');
  await expect(hubFile(wanted, bench.options)).rejects.toThrow(/web page/);
  const tokens = (server: 'hub' | 'storage') =>
    new Set(
      hub.state.requests
        .filter((request) => request.server === server)
        .map(({ headers }) => headers.authorization),
    );
  expect(tokens('hub')).toEqual(new Set(['Bearer secret-token']));
  expect(seen('storage').length).toBe(3);
  expect(tokens('storage')).toEqual(new Set([undefined]));
  expect(JSON.stringify(bench.events)).not.toContain('secret');
});

test('a cached file is used without a request; with refresh, the hub is asked but nothing is transferred again', async () => {
  await hubFile(wanted, bench.options);
  hub.state.requests = [];
  await hubFile(wanted, bench.options);
  await hubFile({ ...wanted, revision: commit }, { ...bench.options, refresh: true });
  expect(hub.state.requests).toEqual([]);
  await hubFile(wanted, { ...bench.options, refresh: true });
  expect(hub.state.requests.map(({ method }) => method)).toEqual(['HEAD']);
});

describe('what is refused', () => {
  test('wrong bytes: nothing is kept, and the message names both hashes', async () => {
    hub.state.failures.push('wrong');
    const zeros = createHash('sha256').update(Buffer.alloc(large.length)).digest('hex');
    await expect(hubFile(wanted, bench.options)).rejects.toThrow(new RegExp(`${zeros}.*${sha256(large)}`));
    expect(leftovers()).toEqual([]);
    expect(readdirSync(join(bench.settings.cache, 'models--tester--network', 'blobs'))).toEqual([]);
  });

  test('wrong bytes after a broken connection, repeatedly: two whole downloads and no more', async () => {
    hub.state.failures.push('reset', 'wrong', 'reset', 'wrong', 'reset', 'wrong');
    await expect(hubFile(wanted, bench.options)).rejects.toThrow(/differ from the published file/);
    expect(seen('storage').length).toBe(4);
  });

  test('a web page, more bytes than the file has, and a file that the hub does not have', async () => {
    hub.state.failures.push('page');
    await expect(hubFile(wanted, bench.options)).rejects.toThrow(/model\.safetensors.*web page/);
    hub.state.failures.push('longer');
    await expect(hubFile(wanted, bench.options)).rejects.toThrow(/601000 bytes; expected 600000/);
    await expect(hubFile({ ...wanted, file: 'absent.bin' }, bench.options)).rejects.toBeInstanceOf(
      NotOnServer,
    );
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
  ])('a name that leads out of its folder: %j', async (name) => {
    await expect(hubFile(name, bench.options)).rejects.toThrow(/is not a/);
    expect(hub.state.requests).toEqual([]);
  });

  test('invalid hashes and commits from the server, because they become file names', async () => {
    const answers = (headers: Record<string, string>) =>
      vi.spyOn(globalThis, 'fetch').mockResolvedValueOnce(new Response(null, { headers }));
    answers({ 'x-repo-commit': commit, etag: '"../../../../evil"' });
    await expect(hubFile(wanted, bench.options)).rejects.toThrow(/no hash to verify/);
    answers({ 'x-repo-commit': '../../evil', etag: `"${sha256(large)}"` });
    await expect(hubFile(wanted, bench.options)).rejects.toThrow(/does not respond like a Hugging Face hub/);
    expect(existsSync(bench.settings.cache)).toBe(false);
  });

  test('a redirect from an encrypted server to an unencrypted one', async () => {
    vi.spyOn(globalThis, 'fetch').mockResolvedValueOnce(
      new Response(null, { status: 302, headers: { location: 'http://127.0.0.1/x' } }),
    );
    const file = { address: 'https://weights.example/a.pth', sha256: 'f'.repeat(64) };
    await expect(addressFile(file, bench.options)).rejects.toThrow(/not encrypted/);
    await expect(
      addressFile({ ...file, address: 'http://weights.example/a.pth' }, bench.options),
    ).rejects.toThrow(/https:/);
  });
});

test('a missing file is remembered for the commit, and asked for again only with refresh', async () => {
  const absent = { ...wanted, file: 'absent.bin' };
  for (let i = 0; i < 2; i++)
    await expect(hubFile(absent, bench.options)).rejects.toBeInstanceOf(NotOnServer);
  expect(hub.state.requests.length).toBe(1);
  const offline = { ...bench.options, settings: { ...bench.settings, isOffline: true } };
  await expect(hubFile(absent, offline)).rejects.toBeInstanceOf(NotOnServer);
  await expect(hubFile(absent, { ...bench.options, refresh: true })).rejects.toBeInstanceOf(NotOnServer);
  expect(hub.state.requests.length).toBe(2);
});

test('a hash that is known in advance must match the hub', async () => {
  await expect(hubFile({ ...wanted, sha256: '0'.repeat(64) }, bench.options)).rejects.toThrow(
    /expected 0{64}/,
  );
  expect(seen('storage')).toEqual([]);
  await hubFile({ ...wanted, sha256: sha256(large) }, bench.options);
});

test('offline, no socket is opened: cached files are used, and missing ones are named', async () => {
  await hubFile(wanted, bench.options);
  const fetching = vi.spyOn(globalThis, 'fetch');
  bench.options = { ...bench.options, settings: { ...bench.settings, isOffline: true }, refresh: true };
  expect((await hubFile(wanted, bench.options)).commit).toBe(commit);
  await expect(hubFile({ ...wanted, file: 'small.json' }, bench.options)).rejects.toThrow(
    /tester\/network\/small\.json.*main.*HF_HUB_OFFLINE/,
  );
  const address = { address: 'https://weights.example/a.pth', sha256: 'f'.repeat(64) };
  await expect(addressFile(address, bench.options)).rejects.toThrow(/weights\.example.*HF_HUB_OFFLINE/);
  expect(fetching).not.toHaveBeenCalled();
});

describe('a file that was damaged in the cache', () => {
  const events = () => JSON.stringify(bench.events);

  test('is downloaded again, and refused offline with both hashes', async () => {
    const { path } = await hubFile(wanted, bench.options);
    expect((await hubFile(wanted, bench.options)).path).toBe(path);
    const before = statSync(path);
    const broken = Buffer.from(large);
    broken[1000]! ^= 1;
    writeFileSync(path, broken);
    const offline = { ...bench.options, settings: { ...bench.settings, isOffline: true } };
    await expect(hubFile(wanted, offline)).rejects.toThrow(new RegExp(`${sha256(broken)}.*${sha256(large)}`));
    await hubFile(wanted, bench.options);
    expect(readFileSync(path).equals(large)).toBe(true);
    expect(events()).toContain('is damaged');
    expect(before.size).toBe(large.length);
    expect(bench.leftovers()).toEqual([]);
  });

  test("is noticed though no program changed its size, and a small file by git's hash", async () => {
    const { path } = await hubFile({ ...wanted, file: 'small.json' }, bench.options);
    writeFileSync(path, 'x'.repeat(small.length));
    await hubFile({ ...wanted, file: 'small.json' }, bench.options);
    expect(readFileSync(path).equals(small)).toBe(true);
  });

  test('is downloaded again from another server too, and refused offline', async () => {
    const file = { address: `${hub.state.storage}/model.safetensors`, sha256: sha256(large).slice(0, 8) };
    const path = await addressFile(file, bench.options);
    writeFileSync(path, large.subarray(1));
    const offline = { ...bench.options, settings: { ...bench.settings, isOffline: true } };
    await expect(addressFile(file, offline)).rejects.toThrow('is damaged');
    expect(await addressFile(file, bench.options)).toBe(path);
    expect(readFileSync(path).equals(large)).toBe(true);
  });
});

describe('a file from another server', () => {
  const file = () => ({
    address: `${hub.state.storage}/model.safetensors`,
    sha256: sha256(large).slice(0, 8),
  });

  test('is verified by the known digits, recorded with the full hash, and not requested again', async () => {
    hub.state.failures.push('reset');
    const path = await addressFile(file(), bench.options);
    expect(readFileSync(path).equals(large)).toBe(true);
    expect(JSON.parse(readFileSync(recordPath(path), 'utf8'))).toEqual({
      address: file().address,
      sha256: sha256(large),
      size: large.length,
    });
    expect(await addressFile(file(), bench.options)).toBe(path);
    expect(seen('storage').length).toBe(2);
    expect(hub.state.requests.some(({ headers }) => headers.authorization)).toBe(false);
  });

  test('is hashed again if a kill prevented its record', async () => {
    const path = await addressFile(file(), bench.options);
    rmSync(recordPath(path));
    expect(await addressFile(file(), bench.options)).toBe(path);
    expect(existsSync(recordPath(path))).toBe(true);
    expect(seen('storage').length).toBe(1);
  });

  test('is refused if its hash differs', async () => {
    const wrong = { ...file(), sha256: '0'.repeat(64) };
    await expect(addressFile(wrong, bench.options)).rejects.toThrow(/differ from the published file/);
    expect(existsSync(addressPath(bench.settings, wrong))).toBe(false);
  });
});

test('four calls at once make one transfer', async () => {
  const paths = await Promise.all([1, 2, 3, 4].map(() => hubFile(wanted, bench.options)));
  expect(new Set(paths.map(({ path }) => path)).size).toBe(1);
  expect(seen('storage').length).toBe(1);
  expect(lstatSync(paths[0]!.path).isSymbolicLink()).toBe(true);
});
