import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hasCuda, setSeed } from '@anyclass/torch';
import sharp from 'sharp';
import { beforeAll, expect, test } from 'vitest';
import { testFolder } from '../../../files/test/testFolder.js';
import { runInProcess } from '../../test/inProcess.js';
import { explain } from '../functions.js';
import { createNetwork } from '../networks/createNetwork.js';
import { saveModel } from '../runs/modelFile.js';

const folder = testFolder();
const anyclass = (...words: string[]) => runInProcess(folder, words);
// A name that would be markup, that turns the direction of text, and that has a bell.
const evil = '<img src=x onerror=alert(1)>\u202e\u0007';

beforeAll(async () => {
  setSeed(1);
  const network = createNetwork('tresnet-s', { classes: 3, inputSize: 32 });
  saveModel(join(folder, 'model.safetensors'), {
    network,
    description: {
      classes: ['crack', evil, 'roots'],
      channels: 3,
      mean: [0.5, 0.5, 0.5],
      std: [0.25, 0.25, 0.25],
      epoch: 1,
      loss: 'bce',
      dataset: 'none',
    },
  });
  network.dispose();
  mkdirSync(join(folder, 'photos'));
  await sharp({ create: { width: 90, height: 60, channels: 3, background: '#48c' } })
    .jpeg()
    .toFile(join(folder, 'photos', 'wide.jpg'));
  // 16 bits, as X-rays have.
  await sharp(
    Uint16Array.from({ length: 40 * 40 }, (_, i) => 40 * i),
    {
      raw: { width: 40, height: 40, channels: 1 },
    },
  )
    .toColorspace('grey16')
    .png()
    .toFile(join(folder, 'photos', 'deep.png'));
  writeFileSync(join(folder, 'broken.jpg'), 'no image');
});

test('explain writes overlays in the proportions of the image, arrays, a list and a page', async () => {
  const { status, stdout, stderr } = await anyclass(
    'explain',
    'model.safetensors',
    'photos',
    '--out',
    'heat',
  );
  expect({ status, stderr }).toMatchObject({ status: 0 });
  expect(stderr).toContain('heat/index.html');
  expect(stdout).toContain('presence');
  const { images } = JSON.parse(readFileSync(join(folder, 'heat', 'explanations.json'), 'utf8'));
  expect(images.map(({ name }: { name: string }) => name)).toEqual(['photos/deep.png', 'photos/wide.jpg']);
  for (const { maps } of images) {
    expect(maps.map(({ target }: { target: string }) => target)).toContain('presence');
    for (const { overlay, array, peak, method } of maps) {
      expect(method).toBe('cam');
      expect(peak).toBeGreaterThanOrEqual(0);
      const values = readFileSync(join(folder, 'heat', array));
      expect(values.subarray(1, 6).toString()).toBe('NUMPY');
      expect(values.toString('latin1')).toContain("'shape': (2, 2)");
      expect(existsSync(join(folder, 'heat', overlay))).toBe(true);
    }
  }
  const wide = await sharp(join(folder, 'heat', images[1].maps[0].overlay)).metadata();
  // The scale is below the image.
  expect([wide.width, wide.height]).toEqual([448, 299 + 22]);
  const page = readFileSync(join(folder, 'heat', 'index.html'), 'utf8');
  expect(page).not.toContain('<img src=x');
  expect(statSync(join(folder, 'heat', 'index.html')).size).toBeLessThan(1_500_000);
});

test('any class and presence can be asked for by name; unknown classes are named', async () => {
  const named = await anyclass(
    'explain',
    'model.safetensors',
    'photos/wide.jpg',
    '--for',
    'roots',
    '--for',
    evil,
    '--for',
    'presence',
    '--method',
    'occlusion',
    '--out',
    'named',
    '--json',
  );
  expect(named.status).toBe(0);
  const { maps } = JSON.parse(named.stdout);
  expect(maps.map(({ target, method }: { target: string; method: string }) => [target, method])).toEqual([
    ['roots', 'occlusion'],
    [evil, 'occlusion'],
    ['presence', 'occlusion'],
  ]);
  expect(
    await anyclass('explain', 'model.safetensors', 'photos', '--for', 'cracks', '--out', 'x'),
  ).toMatchObject({
    status: 1,
    stderr: expect.stringContaining("'cracks'"),
  });
  expect(existsSync(join(folder, 'x'))).toBe(false);
});

test('unreadable images are named and the others explained; a folder of other files is left alone', async () => {
  const some = await anyclass(
    'explain',
    'model.safetensors',
    'broken.jpg',
    'photos/wide.jpg',
    '--out',
    'some',
  );
  expect(some).toMatchObject({ status: 3, stderr: expect.stringContaining('broken.jpg') });
  expect(existsSync(join(folder, 'some', 'index.html'))).toBe(true);
  const other = await anyclass('explain', 'model.safetensors', 'photos', '--out', 'photos');
  expect(other).toMatchObject({ status: 1, stderr: expect.stringContaining('photos') });
});

test('predict writes the same maps beside its table', async () => {
  const out = join(folder, 'predictions.csv');
  const { status, stderr } = await anyclass(
    'predict',
    'model.safetensors',
    'photos',
    '--out',
    out,
    '--heat-maps',
    'beside',
  );
  expect({ status, stderr }).toMatchObject({ status: 0 });
  expect(readFileSync(out, 'utf8').split('\n')).toHaveLength(4);
  const plain = join(folder, 'plain.csv');
  await anyclass('predict', 'model.safetensors', 'photos', '--out', plain);
  expectSameText(readFileSync(out, 'utf8'), readFileSync(plain, 'utf8'));
  const maps = (name: string) => readFileSync(join(folder, name, 'explanations.json'), 'utf8');
  expectSameText(maps('beside'), maps('heat'));
});

/** To the bit on a CPU; on a GPU, whose libraries choose kernels by their time, numbers to a hundredth. */
function expectSameText(text: string, expected: string): void {
  if (!hasCuda()) {
    expect(text).toBe(expected);
    return;
  }
  const number = /\d+\.\d+(e-?\d+)?/g;
  expect(text.replace(number, '#')).toBe(expected.replace(number, '#'));
  const numbers = (of: string) => [...of.matchAll(number)].map(([digits]) => Number(digits));
  numbers(text).forEach((value, i) => {
    expect(value).toBeCloseTo(numbers(expected)[i]!, 2);
  });
}

test('explain() yields maps in code', async () => {
  for await (const one of explain(join(folder, 'model.safetensors'), [join(folder, 'photos', 'wide.jpg')], {
    targets: ['crack'],
  })) {
    if ('failure' in one) throw new Error(one.failure);
    expect(one.targets.map(({ className }) => className)).toEqual(['crack']);
    expect(one.targets[0]?.map.values).toHaveLength(4);
  }
});

test('explain, predict and evaluate end with what to do next, and say nothing of it to other programs', async () => {
  const names = ['a', 'b', 'c', 'd'];
  writeFileSync(
    join(folder, 'scores.csv'),
    `Filename,x\n${names.map((name, i) => `${name},0.${i + 1}\n`).join('')}`,
  );
  writeFileSync(
    join(folder, 'labels.csv'),
    `Filename,x\n${names.map((name, i) => `${name},${i % 2}\n`).join('')}`,
  );
  const photo = ['model.safetensors', 'photos/wide.jpg'];
  const commands: [words: string[], next: string][] = [
    [['explain', ...photo, '--out', 'next-heat'], '--method occlusion --out next-heat-check'],
    [
      ['predict', ...photo, '--out', 'next.csv'],
      'next    anyclass explain model.safetensors photos/wide.jpg --out heat',
    ],
    [
      ['evaluate', '--scores', 'scores.csv', '--labels', 'labels.csv', '--replicates', '0'],
      '--html evaluation.html',
    ],
  ];
  for (const [words, next] of commands) {
    const { status, stderr } = await anyclass(...words);
    const last = stderr.trim().split('\n').at(-1);
    expect({ status, last }).toEqual({ status: 0, last: expect.stringMatching(/^next {4}anyclass /) });
    expect(last).toContain(next);
    rmSync(join(folder, 'next-heat'), { recursive: true, force: true });
    const piped = await runInProcess(folder, words, { isPiped: true });
    expect({ status: piped.status, stderr: piped.stderr }).toEqual({
      status: 0,
      stderr: expect.not.stringContaining('next    '),
    });
  }
});
