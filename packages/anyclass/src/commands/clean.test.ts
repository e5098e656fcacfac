import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { takeLock } from '@anyclass/files';
import { beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { testFolder } from '../../../files/test/testFolder.js';
import { tinyRun } from '../../test/tinyRun.js';
import { findRemovable, removableKinds } from '../clean/removable.js';
import type { Terminal } from '../commandLine/terminal.js';
import { resumeRun } from '../training/resumeRun.js';
import { trainRun } from '../training/trainRun.js';
import { clean } from './clean.js';

const trained = testFolder();
let folder = '';
const at = (...names: string[]) => join(folder, ...names);

beforeAll(async () => {
  const configuration = { ...tinyRun, checkpoints: { keepFinished: true }, evaluation: { replicates: 0 } };
  await trainRun(configuration, { run: join(trained, 'runs/deep/finished') });
  await trainRun(configuration, { run: join(trained, 'runs/stopped'), onEpoch: () => true });
  for (const [path, text] of [
    ['.anyclass/cache/digits-32x32x1/images.bin', 'pixels'],
    ['home/native/torch-1/build/torch.node', 'library'],
    ['home/objects/a.o', 'object'],
    ['home/libtorch/2.13.0-cpu/lib.so', 'libtorch'],
    ['home/weights/0a1b/resnet18.pth', 'weights'],
    ['home/mine.txt', 'not of anyclass'],
    ['notes/config.json', '{}'],
  ] as const) {
    mkdirSync(dirname(join(trained, path)), { recursive: true });
    writeFileSync(join(trained, path), text);
  }
}, 120_000);

beforeEach((context) => {
  folder = testFolder();
  cpSync(trained, folder, { recursive: true });
  vi.stubEnv('ANYCLASS_HOME', at('home'));
  context.onTestFinished(() => {
    vi.unstubAllEnvs();
  });
});

const filesIn = (path: string) =>
  readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .sort();

async function cleaned(options: Partial<Parameters<typeof clean.run>[0]>): Promise<string> {
  let said = '';
  const terminal: Terminal = {
    print: (text) => {
      said += `${text}\n`;
    },
    note: () => {},
    onEvent: () => {},
  };
  await clean.run({ kinds: [], in: folder, yes: false, json: false, ...options }, terminal);
  return said;
}

test('lists everything by kind with its size, and removes nothing without being told to', async () => {
  const before = filesIn(folder);
  const said = await cleaned({});
  for (const path of ['runs/deep/finished', '.anyclass/cache/digits-32x32x1', 'home/native/torch-1'])
    expect(said).toContain(at(path));
  for (const path of ['runs/stopped', 'mine.txt', 'notes']) expect(said).not.toContain(path);
  expect(said).toContain('Nothing was removed');
  expect(filesIn(folder)).toEqual(before);
});

test('removes what it lists, and nothing else', async () => {
  expect(await cleaned({ yes: true })).toContain('removed 6 entries');
  const names = filesIn(folder).map((path) => path.slice(folder.length + 1));
  expect(names.filter((name) => !name.startsWith('runs/'))).toEqual(['home/mine.txt', 'notes/config.json']);
  expect(findRemovable(removableKinds, folder)).toEqual([]);
  expect(await cleaned({ yes: true })).toBe('nothing to remove\n');
});

test('a finished run keeps its results and the best weights, and can be evaluated again', async () => {
  const run = at('runs/deep/finished');
  const results = () =>
    ['summary.json', 'model.safetensors'].map((name) => readFileSync(join(run, name), 'base64'));
  const before = results();
  const stopped = filesIn(at('runs/stopped'));
  const [found] = findRemovable(['checkpoints'], folder);
  const bytes = () => filesIn(run).reduce((sum, path) => sum + readFileSync(path).length, 0);
  const large = bytes();
  await cleaned({ kinds: ['checkpoints'], yes: true });
  expect(large - bytes()).toBeGreaterThan(0.99 * found!.bytes);
  expect(results()).toEqual(before);
  expect(filesIn(at('runs/stopped'))).toEqual(stopped);
  expect(existsSync(at('home/native/torch-1'))).toBe(true);
  rmSync(join(run, 'model.safetensors'));
  await resumeRun(run);
  expect(results()).toEqual(before);
});

test('leaves alone what a process works on, and says so', async () => {
  using _run = takeLock(at('runs/deep/finished/lock'));
  using _cache = takeLock(at('.anyclass/cache/digits-32x32x1/prepare.lock'));
  using _setup = takeLock(at('home/setup.lock'));
  const before = filesIn(at('runs'));
  await expect(cleaned({ yes: true })).rejects.toThrow('5 entries in use');
  expect(filesIn(at('runs'))).toEqual(before);
  expect(existsSync(at('home/objects'))).toBe(true);
  expect(existsSync(at('home/weights/0a1b'))).toBe(false);
});

test('a folder that does not exist is an error', async () => {
  await expect(cleaned({ in: at('nowhere') })).rejects.toThrow('--in');
});
