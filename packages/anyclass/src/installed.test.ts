// What a user gets from `npm install`: the packed packages in an empty folder, with and without an engine.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { runInNewContext } from 'node:vm';
import { anyClassLoss } from '@anyclass/core';
import sharp from 'sharp';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { testFolder } from '../../files/test/testFolder.js';
import { bundleCore, typeCheck } from '../test/consumer.mjs';
import { installPackages, packageNames, packPackages, run } from '../test/installation.mjs';

const folder = testFolder();
const consumer = join(folder, 'consumer');
const all200 = { split: 'all', total: 200, positive: 100, negative: 100, undecided: 0 };
let problem = '';

beforeAll(async () => {
  const archives = packPackages(join(folder, 'archives'));
  const { status, stdout, stderr } = installPackages(consumer, archives);
  if (status !== 0) problem = `${stdout}${stderr}`;
  else await makeImages(join(consumer, 'photos'), 200);
}, 180_000);

beforeEach((context) => {
  // Without a network and with an empty npm cache, there is nothing to install from.
  context.skip(
    /ENOTFOUND|EAI_AGAIN|ENOTCACHED|ECONNREFUSED/.test(problem),
    'the npm registry cannot be reached',
  );
  expect(problem).toBe('');
});

describe.each(packageNames)('the package %s', (name) => {
  const at = join(consumer, 'node_modules', name);

  test('has a readme, the license and types, but no tests or build leftovers', () => {
    const files = readdirSync(at, { recursive: true, encoding: 'utf8' });
    expect(files).toEqual(expect.arrayContaining(['README.md', 'LICENSE', 'dist/index.d.ts']));
    expect(
      files.filter((file) => /\.test\.|tsbuildinfo|tsconfig|binding\.gyp|\.(o|node|so)$/.test(file)),
    ).toEqual([]);
    const license = readFileSync(resolve(import.meta.dirname, '../../../LICENSE'), 'utf8');
    expect(readFileSync(join(at, 'LICENSE'), 'utf8')).toBe(license);
  });

  test('runs nothing when it is installed', () => {
    const { scripts = {} }: { scripts?: Record<string, string> } = JSON.parse(
      readFileSync(join(at, 'package.json'), 'utf8'),
    );
    expect(Object.keys(scripts).filter((script) => /install|^prepare$|^dependencies$/.test(script))).toEqual(
      [],
    );
  });
});

test('Studio has its page', async () => {
  const program = join(consumer, 'node_modules/anyclass/bin/anyclass.js');
  const studio = spawn(process.execPath, [program, 'studio', consumer, '--json'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const [line]: Buffer[] = await once(studio.stdout, 'data');
    const { url }: { url: string } = JSON.parse(String(line).split('\n')[0] ?? '');
    const cookie = (await fetch(url, { redirect: 'manual' })).headers.get('set-cookie')?.split(';')[0] ?? '';
    const html = await (await fetch(new URL('/', url), { headers: { cookie } })).text();
    const [script = ''] = /\/page\/main-\w+\.js/.exec(html) ?? [];
    expect((await fetch(new URL(script, url), { headers: { cookie } })).status).toBe(200);
  } finally {
    studio.kill('SIGKILL');
  }
});

test.each(['node16', 'bundler'] as const)('a strict program type-checks under %s', (resolution) => {
  expect(typeCheck(consumer, resolution)).toBe('');
});

test('core can be bundled for a browser and computes there', () => {
  const page: { loss?: number } = {};
  runInNewContext(bundleCore(consumer), Object.assign(page, { globalThis: page, WebAssembly }));
  const [logits, targets] = [new Float64Array([2, -1]), new Float64Array([1, 0])];
  expect(page.loss).toBe(anyClassLoss(logits, targets, { classes: 2, base: 'bce' }).loss);
});

describe('without an engine', () => {
  const environment = { ANYCLASS_HOME: join(folder, 'nothing') };

  test('importing the package loads a few small files and none of its dependencies', () => {
    const hook = 'export const load = (url, context, next) => (console.log(url), next(url, context));';
    const program = `
      const { register } = await import('node:module');
      register(${JSON.stringify(`data:text/javascript,${encodeURIComponent(hook)}`)});
      await import('anyclass');
    `;
    const node = [process.execPath, '--input-type=module', '-e', program];
    const { stdout } = run(node, consumer, environment);
    const files = stdout.match(/^file:.*$/gm) ?? [];
    expect(files.length).toBeGreaterThan(2);
    expect(files.length).toBeLessThan(30);
    expect(files.filter((file) => !file.includes('/node_modules/anyclass/'))).toEqual([]);
  });

  test('data is inspected, scores are evaluated and the playground is written', () => {
    const inspected = anyclass(['inspect', 'photos', '--json'], environment);
    expect(JSON.parse(inspected.stdout)).toMatchObject({ splits: expect.arrayContaining([all200]) });
    writeFileSync(join(consumer, 'scores.csv'), 'Filename,red\na,0.9\nb,0.2\n');
    writeFileSync(join(consumer, 'truth.csv'), 'Filename,red\na,1\nb,0\n');
    const files = ['--scores', 'scores.csv', '--labels', 'truth.csv'];
    expect(anyclass(['evaluate', ...files, '--json'], environment)).toMatchObject({ status: 0 });
    expect(anyclass(['playground', '--out', 'page.html'], environment)).toMatchObject({ status: 0 });
  });

  test('commands that need a tensor give one error with the one command to run', () => {
    expect(anyclass(['init', 'photos', '--out', 'untrained.json'], environment)).toMatchObject({ status: 0 });
    const { status, stderr } = anyclass(['train', 'untrained.json', '--run', 'runs/none'], environment);
    expect(status).toBe(1);
    expect(stderr).toMatch(/^anyclass: .*run 'npx anyclass setup'\n$/m);
    expect(stderr).not.toContain('--debug');
    const compared = anyclass(['compare', 'untrained.json', '--out', 'compared'], environment);
    expect(compared.stderr.match(/npx anyclass setup/g)).toHaveLength(1);
  });
});

test('after setup, a user trains on 200 images and predicts one', () => {
  const done = (words: readonly string[]) => {
    const { status, stdout, stderr } = anyclass(words);
    expect([status, status === 0 ? '' : stderr]).toEqual([0, '']);
    return stdout;
  };
  expect(run(['npx', '--no', 'anyclass', 'setup'], consumer)).toMatchObject({ status: 0 });
  expect(done(['doctor'])).toMatch(/^result +OK/m);
  done(['init', 'photos', '--out', 'colors.json']);
  const small = ['network.name=tresnet-s', 'network.inputSize=16', 'epochs=1'].flatMap((field) => [
    '--set',
    field,
  ]);
  done(['train', 'colors.json', '--run', 'runs/colors', ...small]);
  const predicted = done(['predict', 'runs/colors', 'photos/image-0.png']);
  expect(predicted.trim().split('\n')).toHaveLength(2);
  expect(predicted).toContain('image-0.png');
}, 120_000);

function anyclass(words: readonly string[], environment: NodeJS.ProcessEnv = {}) {
  return run([join(consumer, 'node_modules/.bin/anyclass'), ...words], consumer, environment);
}

/** Writes gray images, half of them with a red, green or blue square, and a table of labels. */
async function makeImages(at: string, count: number): Promise<void> {
  mkdirSync(at);
  const colors = ['red', 'green', 'blue'];
  const lines = ['Filename,red,green,blue'];
  for (let i = 0; i < count; i++) {
    const color = i % 2 === 0 ? colors[(i / 2) % 3] : undefined;
    const square = { create: { width: 12, height: 12, channels: 3 as const, background: color ?? 'gray' } };
    const gray = { create: { width: 32, height: 32, channels: 3 as const, background: 'gray' } };
    await sharp(gray)
      .composite([{ input: square, left: (i * 7) % 20, top: (i * 3) % 20 }])
      .toFile(join(at, `image-${i}.png`));
    lines.push([`image-${i}.png`, ...colors.map((name) => Number(name === color))].join(','));
  }
  writeFileSync(join(at, 'labels.csv'), `${lines.join('\n')}\n`);
}
