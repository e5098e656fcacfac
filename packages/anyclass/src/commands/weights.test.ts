// `anyclass weights` as a user runs it, against a hub on this machine.

import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { testFolder } from '../../../files/test/testFolder.js';
import { commit, fakeHub, sha256 } from '../../test/fakeHub.mjs';
import { program } from '../../test/program.mjs';
import { runProgram } from '../commandLine/program.js';
import { weights } from './weights.js';

const home = testFolder();
const content = randomBytes(100_000);
const hub = await fakeHub({ 'model.safetensors': content });
afterAll(async () => {
  await hub.close();
});

interface Finished {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

function anyclass(
  words: readonly string[],
  variables: Readonly<Record<string, string>> = {},
): Promise<Finished> {
  const env = {
    ...process.env,
    HF_HOME: join(home, 'hf'),
    HF_HUB_CACHE: '',
    ANYCLASS_HOME: join(home, 'anyclass'),
    HF_ENDPOINT: hub.state.endpoint,
    HF_HUB_OFFLINE: '',
    ...variables,
  };
  const child = spawn(process.execPath, [program, 'weights', ...words], { env });
  const [stdout, stderr] = [child.stdout, child.stderr].map((stream) => {
    const parts: string[] = [];
    stream.setEncoding('utf8').on('data', (text: string) => parts.push(text));
    return parts;
  });
  return new Promise((done) =>
    child.on('close', (status) => done({ status, stdout: stdout!.join(''), stderr: stderr!.join('') })),
  );
}

const name = 'timm/resnet18.a1_in1k';
const address = () => `${hub.state.storage}/model.safetensors#sha256=${sha256(content)}`;
let pulled: Finished;
let path: string;

beforeAll(async () => {
  pulled = await anyclass(['pull', name, address(), '--json']);
  path = JSON.parse(pulled.stdout)[0].path;
}, 60_000);

test('pull downloads by name and by URL, and shows progress on standard error', () => {
  const { status, stdout, stderr } = pulled;
  expect({ status, stderr }).toMatchObject({ status: 0, stderr: expect.stringMatching(/0\.1\/0\.1 MB/) });
  expect(JSON.parse(stdout)).toEqual([
    { name, path, bytes: content.length, commit },
    { name: address(), path: expect.stringContaining(join(home, 'anyclass')), bytes: content.length },
  ]);
});

test('list shows what is published and what is on this machine', async () => {
  const { stdout } = await anyclass(['list', '--network', 'resnet-18']);
  expect(stdout).toMatch(/timm\/resnet18\.a1_in1k +resnet-18 +224 +1,000 +apache-2\.0 +0\.1 MB/);
  expect(stdout).toMatch(/torchvision\/resnet18\.imagenet1k_v1 +resnet-18 +224 +1,000$/m);
  expect(stdout).not.toContain('tresnet');
  const cached = JSON.parse((await anyclass(['list', '--cached', '--json'])).stdout);
  expect(cached).toMatchObject([{ name, cached: { path, bytes: content.length } }]);
});

test('offline, pull uses cached weights and names missing ones, without a connection', async () => {
  const seen = hub.state.requests.length;
  const offline = { HF_HUB_OFFLINE: '1' };
  expect((await anyclass(['pull', name], offline)).status).toBe(0);
  const { status, stderr } = await anyclass(['pull', 'timm/resnet18.a2_in1k'], offline);
  expect({ status, stderr }).toMatchObject({
    status: 1,
    stderr: expect.stringMatching(/timm\/resnet18\.a2_in1k\/model\.safetensors.*main.*HF_HUB_OFFLINE/),
  });
  expect(hub.state.requests.length).toBe(seen);
});

test('verify rehashes files, and reports a damaged one with exit code 1', async () => {
  expect(await anyclass(['verify'])).toMatchObject({
    status: 0,
    stdout: `${name}: ok, sha256 ${sha256(content)}\n`,
  });
  const blob = realpathSync(path);
  writeFileSync(blob, Buffer.from(content).fill(0, 500, 600));
  const { status, stderr } = await anyclass(['verify', name, address()]);
  writeFileSync(blob, content);
  expect({ status, stderr }).toMatchObject({ status: 1, stderr: expect.stringContaining(path) });
  expect(stderr).toContain(sha256(content));
  expect((await anyclass(['verify', 'timm/resnet18.a2_in1k'])).stderr).toContain('not on this machine');
});

test('remove frees the bytes, and leaves no empty folders of weights', async () => {
  const { stdout } = await anyclass(['remove', name, address(), 'timm/resnet18.a2_in1k', '--json']);
  expect(JSON.parse(stdout).map(({ bytes }: { bytes: number | null }) => bytes)).toEqual([
    content.length,
    content.length,
    null,
  ]);
  expect(existsSync(path)).toBe(false);
  const repository = join(home, 'hf', 'hub', 'models--timm--resnet18.a1_in1k');
  expect(readdirSync(join(repository, 'blobs'))).toEqual([]);
  expect(readdirSync(join(repository, 'snapshots'))).toEqual([]);
  expect(readdirSync(join(home, 'anyclass', 'weights'))).toEqual([]);
});

test.each([
  [['pull']],
  [['list', name]],
  [['verify', '--cached']],
  [['remove', name, '--network', 'resnet-18']],
  [['fetch', name]],
])('%j is a usage error', async (words) => {
  const terminal = { print: () => {}, note: () => {}, onEvent: () => {} };
  expect(await runProgram([weights], ['weights', ...words], terminal)).toBe(2);
});
