import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defaultPatience } from '@anyclass/files/downloads';
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { fileServer, sha256Of } from '../../files/test/fileServer.js';
import { testFolder } from '../../files/test/testFolder.js';
import { zipFile } from '../test/zipFile.js';
import { chooseArchive, officialArchives } from './archives.js';
import { downloadedLibtorch, downloadLibtorch } from './downloadLibtorch.js';
import { SetupError } from './shell.js';

const library = randomBytes(500_000);
const sha256 = 'a'.repeat(64);
const server = await fileServer(new Uint8Array());
const quick = { log: () => {}, patience: { ...defaultPatience, tries: 3, firstPause: 1 } };
let folder = '';

afterAll(() => server.close());
beforeEach(() => {
  folder = testFolder();
  server.reset();
});

describe('libtorch archives', () => {
  const archive = { version: '2.13.0', platform: 'linux-x64', variant: 'cpu', path: 'cpu/a.zip' };

  test('without a pinned hash are refused, with the address to download by hand', () => {
    const choose = () =>
      chooseArchive([{ ...archive, sha256: null }], { variant: 'cpu', platform: 'linux-x64' });
    expect(choose).toThrow(SetupError);
    expect(choose).toThrow(/no sha256 pinned.*download\.pytorch\.org\/libtorch\/cpu\/a\.zip.*LIBTORCH/);
  });

  test('are checked against a given hash instead of the pinned one', () => {
    const given = { variant: 'cpu', platform: 'linux-x64', sha256: 'f'.repeat(64) };
    for (const pinned of [null, sha256])
      expect(chooseArchive([{ ...archive, sha256: pinned }], given).sha256).toBe('f'.repeat(64));
  });

  test('that exist are listed if the requested platform or variant does not', () => {
    const choose = () => chooseArchive([{ ...archive, sha256 }], { variant: 'cu130', platform: 'linux-x64' });
    expect(choose).toThrow(/'cu130' for linux-x64; available: cpu/);
    expect(() =>
      chooseArchive([{ ...archive, sha256 }], { variant: 'cpu', platform: 'linux-riscv64' }),
    ).toThrow(/linux-riscv64/);
  });

  test('have a complete hash or none, and are unique per platform and variant', () => {
    const archives = officialArchives();
    const keys = archives.map(({ platform, variant }) => `${platform} ${variant}`);
    expect(new Set(keys).size).toBe(archives.length);
    for (const { sha256: pin } of archives) expect(pin ?? '0'.repeat(64)).toMatch(/^[0-9a-f]{64}$/);
  });
});

describe('libtorch is downloaded', () => {
  const header = 'torch/headeronly/version.h';
  const zip = zipFile({
    'libtorch/': '',
    [`libtorch/include/${header}`]: `#define TORCH_VERSION_MAJOR 2
#define TORCH_VERSION_MINOR 13
#define TORCH_VERSION_PATCH 7
${'// '.repeat(90)}`,
    'libtorch/lib/libtorch_cpu.so': library,
  });
  const wish = {
    variant: 'cpu',
    archives: [
      {
        version: '2.13.7',
        platform: `${process.platform}-${process.arch}`,
        variant: 'cpu',
        path: 'cpu/libtorch-2.13.7%2Bcpu.zip',
        sha256: sha256Of(zip),
      },
    ],
  };
  beforeEach(() => {
    vi.stubEnv('ANYCLASS_HOME', join(folder, 'home'));
    server.answer = (request, response) => server.send(request, response, { of: zip });
  });
  afterEach(() => vi.unstubAllEnvs());

  test('from a mirror, unpacked and described, once', async () => {
    expect(downloadedLibtorch()).toBeUndefined();
    const found = await downloadLibtorch({ ...wish, mirror: server.address('mirror') }, quick);
    expect(found).toMatchObject({ origin: 'download', version: '2.13.7', flags: ['-std=c++20'] });
    expect(readFileSync(found.file)).toEqual(library);
    expect(server.requests.map(({ url }) => url)).toEqual(['/mirror/cpu/libtorch-2.13.7%2Bcpu.zip']);
    expect(readdirSync(join(folder, 'home/downloads'))).toEqual([]);
    await downloadLibtorch({ ...wish, mirror: server.address('mirror') }, quick);
    expect(server.requests).toHaveLength(1);
    expect(downloadedLibtorch()).toEqual(found);
    expect(downloadedLibtorch('cpu')).toEqual(found);
    expect(downloadedLibtorch('cu130')).toBeUndefined();
  });

  test('with a given hash if none is pinned, and not with a wrong one', async () => {
    const archives = wish.archives.map((archive) => ({ ...archive, sha256: null }));
    const unpinned = { ...wish, archives, mirror: server.address() };
    await expect(downloadLibtorch(unpinned, quick)).rejects.toThrow('no sha256 pinned');
    expect(server.requests).toHaveLength(0);
    await expect(downloadLibtorch({ ...unpinned, sha256: '0'.repeat(64) }, quick)).rejects.toThrow(
      sha256Of(zip),
    );
    expect(downloadedLibtorch()).toBeUndefined();
    const { version } = await downloadLibtorch({ ...unpinned, sha256: sha256Of(zip) }, quick);
    expect(version).toBe('2.13.7');
  });

  test('completely or not at all', async () => {
    const damaged = Buffer.from(zip);
    const bytes = zip.indexOf('libtorch/lib/libtorch_cpu.so') + 40;
    damaged.fill(0, bytes, bytes + 5);
    server.answer = (request, response) => server.send(request, response, { of: damaged });
    const archives = wish.archives.map((archive) => ({ ...archive, sha256: sha256Of(damaged) }));
    await expect(downloadLibtorch({ ...wish, archives, mirror: server.address() }, quick)).rejects.toThrow();
    expect(readdirSync(join(folder, 'home/libtorch'))).toEqual([]);
  });

  test('from where it stopped: an interrupted download is kept, and setup says so', async () => {
    const most = Math.floor(zip.length / 2);
    server.answer = (request, response) =>
      server.send(request, response, { of: zip, most: server.requests.length === 1 ? most : 0 });
    const failure = downloadLibtorch({ ...wish, mirror: server.address() }, quick);
    await expect(failure).rejects.toThrow(SetupError);
    await expect(failure).rejects.toThrow(/run setup again to resume/);
    server.answer = (request, response) => server.send(request, response, { of: zip });
    await downloadLibtorch({ ...wish, mirror: server.address() }, quick);
    expect(server.requests.at(-1)?.headers.range).toMatch(/^bytes=\d+-$/);
  });
});
