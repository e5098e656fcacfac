import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeEach, expect, test, vi } from 'vitest';
import { fileServer, sha256Of } from '../../test/fileServer.js';
import { testFolder } from '../../test/testFolder.js';
import { defaultPatience, partialEnding, type Transfer, transfer } from './index.js';

const content = randomBytes(3_000_000);
const sha256 = sha256Of(content);
const quick = { ...defaultPatience, tries: 4, firstPause: 1 };
const server = await fileServer(content);
let folder = '';
let file = '';

afterAll(() => server.close());
beforeEach(() => {
  folder = testFolder();
  file = join(folder, 'file');
  server.reset();
});

function job(changes: Partial<Transfer> = {}): Transfer {
  return {
    address: server.address(),
    target: file,
    checksum: { algorithm: 'sha256', value: sha256 },
    size: undefined,
    title: 'the file',
    patience: quick,
    ...changes,
  };
}

const download = (changes: Partial<Transfer> = {}) => transfer(job(changes));

test('writes the file and leaves nothing else', async () => {
  await download();
  expect(sha256Of(readFileSync(file))).toBe(sha256);
  expect(readdirSync(folder)).toEqual(['file']);
});

test('resumes where the connection broke, and transfers nothing twice', async () => {
  server.answer = (request, response) => server.send(request, response, { most: 400_000 });
  await download();
  expect(sha256Of(readFileSync(file))).toBe(sha256);
  expect(server.requests.length).toBeGreaterThan(5);
  expect(server.requests.at(-1)?.headers).toMatchObject({ range: expect.any(String), 'if-range': '"one"' });
  expect(server.sent).toBeLessThanOrEqual(1.02 * content.length);
});

test('resumes after the process was killed', async () => {
  server.answer = (request, response) => server.send(request, response, { stallAt: 1_000_000 });
  const built = new URL('../../dist/downloads/index.js', import.meta.url).href;
  const code = `
    const { transfer } = await import(${JSON.stringify(built)});
    await transfer(${JSON.stringify(job())});
  `;
  const child = spawn(process.execPath, ['--input-type=module', '-e', code]);
  await vi.waitUntil(() => sizeOf(file + partialEnding) >= 1_000_000, { timeout: 30_000 });
  child.kill('SIGKILL');
  await once(child, 'exit');
  expect(existsSync(file)).toBe(false);
  server.reset();
  await download();
  expect(sha256Of(readFileSync(file))).toBe(sha256);
  expect(server.sent).toBeLessThanOrEqual(1.1 * content.length);
});

test('starts over if the server has another file by then', async () => {
  const old = randomBytes(content.length);
  server.answer = (request, response) => {
    if (server.requests.length === 1)
      server.send(request, response, { most: 700_000, of: old, etag: '"zero"' });
    else server.send(request, response);
  };
  await download();
  expect(sha256Of(readFileSync(file))).toBe(sha256);
});

test.each([
  ['no support for ranges', { ignoresRange: true }],
  ['no ETag', { etag: '' }],
  ['a weak ETag', { etag: 'W/"one"' }],
])('gets the right bytes from a server with %s', async (_, manner) => {
  server.answer = (request, response) =>
    server.send(request, response, { ...manner, ...(server.requests.length < 3 && { most: 700_000 }) });
  await download();
  expect(sha256Of(readFileSync(file))).toBe(sha256);
});

test('waits as long as a busy server asks', async () => {
  server.answer = (request, response) => {
    if (server.requests.length === 1) response.writeHead(429, { 'retry-after': '1' }).end();
    else server.send(request, response);
  };
  const start = performance.now();
  await download();
  expect(performance.now() - start).toBeGreaterThan(900);
});

test('treats a silent connection as lost', async () => {
  server.answer = (request, response) =>
    server.send(request, response, server.requests.length === 1 ? { stallAt: 500_000 } : {});
  await download({ patience: { ...quick, silence: 300 } });
  expect(sha256Of(readFileSync(file))).toBe(sha256);
});

test('refuses the wrong bytes and does not keep them', async () => {
  const failure = await download({ checksum: { algorithm: 'sha256', value: '0'.repeat(64) } }).catch(String);
  expect(failure).toContain(sha256);
  expect(failure).toContain('the file');
  expect(readdirSync(folder)).toEqual([]);
});

test('gives up on a server that makes no progress, keeps what arrived, and says so', async () => {
  server.answer = (request, response) =>
    server.send(request, response, { most: server.requests.length === 1 ? 2_000_000 : 0 });
  const failure = await download().catch(String);
  expect(failure).toMatch(/tried 4 times/);
  expect(sizeOf(file + partialEnding)).toBeGreaterThan(0);
});

test('fails at once for a missing file', async () => {
  server.answer = (_, response) => response.writeHead(404).end('<html>');
  await expect(download()).rejects.toThrow(/404/);
  expect(server.requests).toHaveLength(1);
});

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
