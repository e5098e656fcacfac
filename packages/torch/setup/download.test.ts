import { spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { zipFile } from '../test/zipFile.js';
import { chooseArchive, officialArchives } from './archives.js';
import { download } from './download.js';
import { downloadedLibtorch, downloadLibtorch } from './downloadLibtorch.js';
import { SetupError } from './shell.js';

const content = randomBytes(3_000_000);
const sha256 = hashOf(content);
let folder = '';
let file = '';
let sent = 0;
let requests: IncomingMessage[] = [];
let answer: (request: IncomingMessage, response: ServerResponse) => void = wellBehaved;

const server = createServer((request, response) => {
  requests.push(request);
  answer(request, response);
});
const address = (path = 'file') => `http://localhost:${portOf()}/${path}`;
const quick = { log: () => {}, backoff: 1 };

beforeAll(async () => {
  server.listen(0);
  await once(server, 'listening');
});
afterAll(() => server.close());
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'anyclass-download-'));
  file = join(folder, 'file');
  [sent, requests, answer] = [0, [], wellBehaved];
});
afterEach(() => rmSync(folder, { recursive: true }));

describe('a download', () => {
  test('is the file, and leaves nothing else', async () => {
    await download(address(), file, { sha256, ...quick });
    expect(hashOf(readFileSync(file))).toBe(sha256);
    expect(readdirSync(folder)).toEqual(['file']);
  });

  test('resumes where the connection broke, and transfers nothing twice', async () => {
    answer = (request, response) => wellBehaved(request, response, { most: 400_000 });
    await download(address(), file, { sha256, ...quick });
    expect(hashOf(readFileSync(file))).toBe(sha256);
    expect(requests.length).toBeGreaterThan(5);
    expect(requests.at(-1)?.headers).toMatchObject({ range: expect.any(String), 'if-range': '"one"' });
    expect(sent).toBeLessThanOrEqual(1.1 * content.length);
  });

  test('resumes after the process was killed', async () => {
    answer = (request, response) => wellBehaved(request, response, { stallAt: 1_000_000 });
    const code = `
      const { download } = await import(${JSON.stringify(new URL('dist/download.js', import.meta.url).href)});
      await download(${JSON.stringify(address())}, ${JSON.stringify(file)}, { sha256: '${sha256}', log: () => {} });
    `;
    const child = spawn(process.execPath, ['--input-type=module', '-e', code]);
    await vi.waitUntil(() => sizeOf(`${file}.partial`) >= 1_000_000, { timeout: 30_000 });
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(existsSync(file)).toBe(false);
    answer = wellBehaved;
    await download(address(), file, { sha256, ...quick });
    expect(hashOf(readFileSync(file))).toBe(sha256);
    expect(sent).toBeLessThanOrEqual(1.1 * content.length);
  });

  test('starts over where the server has another file meanwhile', async () => {
    const old = randomBytes(content.length);
    answer = (request, response) => {
      if (requests.length === 1) wellBehaved(request, response, { most: 700_000, of: old, etag: '"zero"' });
      else wellBehaved(request, response);
    };
    await download(address(), file, { sha256, ...quick });
    expect(hashOf(readFileSync(file))).toBe(sha256);
  });

  test.each([
    ['no range', { ignoresRange: true }],
    ['no mark of the file', { etag: '' }],
    ['a weak mark of the file', { etag: 'W/"one"' }],
  ])('is right from a server with %s', async (_, manner) => {
    answer = (request, response) =>
      wellBehaved(request, response, { ...manner, ...(requests.length < 3 && { most: 700_000 }) });
    await download(address(), file, { sha256, ...quick });
    expect(hashOf(readFileSync(file))).toBe(sha256);
  });

  test('waits as long as a busy server asks', async () => {
    answer = (request, response) => {
      if (requests.length === 1) response.writeHead(429, { 'retry-after': '1' }).end();
      else wellBehaved(request, response);
    };
    const start = performance.now();
    await download(address(), file, { sha256, ...quick });
    expect(performance.now() - start).toBeGreaterThan(900);
  });

  test('takes a silent connection for lost', async () => {
    answer = (request, response) =>
      wellBehaved(request, response, requests.length === 1 ? { stallAt: 500_000 } : {});
    await download(address(), file, { sha256, ...quick, patience: 0.3 });
    expect(hashOf(readFileSync(file))).toBe(sha256);
  });

  test('of the wrong bytes is refused and not kept', async () => {
    const failure = await download(address(), file, { ...quick, sha256: '0'.repeat(64) }).catch(String);
    expect(failure).toContain(sha256);
    expect(failure).toContain(address());
    expect(readdirSync(folder)).toEqual([]);
  });

  test('gives up on a server that never gets further, keeps what came, and says so', async () => {
    answer = (request, response) =>
      wellBehaved(request, response, { most: requests.length === 1 ? 2_000_000 : 0 });
    const failure = await download(address(), file, { sha256, ...quick }).catch(String);
    expect(failure).toMatch(/set up again to resume/);
    expect(sizeOf(`${file}.partial`)).toBeGreaterThan(0);
  });

  test('of what is not there fails at once', async () => {
    answer = (_, response) => response.writeHead(404).end('<html>');
    await expect(download(address(), file, { sha256, ...quick })).rejects.toThrow(/404/);
    expect(requests).toHaveLength(1);
  });
});

describe('the archives of libtorch', () => {
  const archive = { version: '2.13.0', platform: 'linux-x64', variant: 'cpu', path: 'cpu/a.zip' };

  test('without a pinned hash are refused, with the address to fetch by hand', () => {
    const choose = () => chooseArchive([{ ...archive, sha256: null }], 'cpu', 'linux-x64');
    expect(choose).toThrow(SetupError);
    expect(choose).toThrow(/download\.pytorch\.org\/libtorch\/cpu\/a\.zip.*LIBTORCH/);
  });

  test('of another platform or variant are named', () => {
    const choose = () => chooseArchive([{ ...archive, sha256 }], 'cu130', 'linux-x64');
    expect(choose).toThrow(/'cu130' for linux-x64; there is: cpu/);
    expect(() => chooseArchive([{ ...archive, sha256 }], 'cpu', 'linux-riscv64')).toThrow(/linux-riscv64/);
  });

  test('are listed with whole hashes or none, once for a platform and variant', () => {
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
    'libtorch/lib/libtorch_cpu.so': new Uint8Array(5_000).fill(7),
  });
  const wish = {
    variant: 'cpu',
    archives: [
      {
        version: '2.13.7',
        platform: `${process.platform}-${process.arch}`,
        variant: 'cpu',
        path: 'cpu/libtorch-2.13.7%2Bcpu.zip',
        sha256: hashOf(zip),
      },
    ],
  };
  beforeEach(() => {
    vi.stubEnv('ANYCLASS_HOME', join(folder, 'home'));
    answer = (request, response) => wellBehaved(request, response, { of: zip });
  });
  afterEach(() => vi.unstubAllEnvs());

  test('from a mirror, unpacked and described, once', async () => {
    expect(downloadedLibtorch()).toBeUndefined();
    const found = await downloadLibtorch({ ...wish, mirror: address('mirror') }, quick);
    expect(found).toMatchObject({ origin: 'download', version: '2.13.7', flags: ['-std=c++20'] });
    expect(readFileSync(found.file)).toHaveLength(5_000);
    expect(requests.map(({ url }) => url)).toEqual(['/mirror/cpu/libtorch-2.13.7%2Bcpu.zip']);
    expect(readdirSync(join(folder, 'home/downloads'))).toEqual([]);
    await downloadLibtorch({ ...wish, mirror: address('mirror') }, quick);
    expect(requests).toHaveLength(1);
    expect(downloadedLibtorch()).toEqual(found);
    expect(downloadedLibtorch('cpu')).toEqual(found);
    expect(downloadedLibtorch('cu130')).toBeUndefined();
  });

  test('whole or not at all', async () => {
    const damaged = Buffer.from(zip);
    const bytes = zip.indexOf('libtorch/lib/libtorch_cpu.so') + 40;
    damaged.fill(0, bytes, bytes + 5);
    answer = (request, response) => wellBehaved(request, response, { of: damaged });
    const archives = wish.archives.map((archive) => ({ ...archive, sha256: hashOf(damaged) }));
    await expect(downloadLibtorch({ ...wish, archives, mirror: address() }, quick)).rejects.toThrow();
    expect(readdirSync(join(folder, 'home/libtorch'))).toEqual([]);
  });
});

interface Manner {
  /** Breaks the connection after so many bytes. */
  readonly most?: number;
  /** Goes silent at this byte of the file. */
  readonly stallAt?: number;
  readonly of?: Buffer;
  readonly etag?: string;
  readonly ignoresRange?: boolean;
}

function wellBehaved(request: IncomingMessage, response: ServerResponse, manner: Manner = {}): void {
  const { of = content, etag = '"one"', most, stallAt, ignoresRange } = manner;
  const asked = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0);
  const isSame = request.headers['if-range'] === etag && !etag.startsWith('W/');
  const start = isSame && !ignoresRange ? asked : 0;
  const bytes = of.subarray(start);
  response.writeHead(start > 0 ? 206 : 200, {
    'content-length': bytes.length,
    ...(etag && { etag }),
    ...(start > 0 && { 'content-range': `bytes ${start}-${of.length - 1}/${of.length}` }),
  });
  const end = Math.min(
    most ?? bytes.length,
    stallAt === undefined ? bytes.length : Math.max(0, stallAt - start),
  );
  sent += end;
  response.write(bytes.subarray(0, end), () => {
    if (end === bytes.length) response.end();
    else if (stallAt === undefined) request.socket.end();
  });
}

function portOf(): number {
  const bound = server.address();
  return typeof bound === 'object' && bound ? bound.port : 0;
}

function hashOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
