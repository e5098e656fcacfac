// A guard against odd images, from training to predict, serve and an exported model.

import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { beforeAll, expect, test } from 'vitest';
import { testFolder } from '../../../files/test/testFolder.js';
import { runInProcess } from '../../test/inProcess.js';
import { asBody } from '../../test/servedModels.js';
import { openDataset } from '../data/openDataset.js';
import { exportOnnx } from '../export/onnx/exportOnnx.js';
import { runPaths } from '../runs/runFolder.js';
import { readSummary } from '../runs/summary.js';
import { serve } from '../serving/serve.js';
import { trainRun } from '../training/trainRun.js';

const folder = testFolder();
const at = (name: string) => join(folder, name);

const scenes = { train: 96, validation: 120, test: 60 };
const side = 64;

beforeAll(async () => {
  await trainRun(
    {
      data: { dataset: 'digits', digits: { scenes } },
      network: { name: 'tresnet-s', inputSize: 32 },
      epochs: 1,
      batchSize: 32,
      device: 'cpu',
      evaluation: { replicates: 0, guard: 0.98 },
    },
    { run: at('run') },
  );
  mkdirSync(at('photos'));
  const { images, splits } = await openDataset('digits', { digits: { scenes } });
  for (const row of splits.test.subarray(0, 20)) {
    const image = await images.read(row);
    if (image.kind !== 'pixels') throw new Error('digits are pixels');
    const { pixels, width, height, channels } = image;
    await sharp(pixels, { raw: { width, height, channels } })
      .png()
      .toFile(at(`photos/usual-${row}.png`));
  }
  const odd: Record<string, (i: number) => number> = {
    black: () => 0,
    white: () => 255,
    checkered: (i) => ((i + Math.floor(i / side)) % 2) * 120,
  };
  for (const [name, level] of Object.entries(odd)) {
    const pixels = Uint8Array.from({ length: side * side }, (_, i) => level(i));
    await sharp(pixels, { raw: { width: side, height: side, channels: 1 } })
      .png()
      .toFile(at(`photos/odd-${name}.png`));
  }
}, 120_000);

interface Line {
  readonly Filename: string;
  readonly outcome: string;
  readonly odd?: string;
}

async function predicted(model: string, ...words: string[]): Promise<Map<string, Line>> {
  const given = ['predict', model, 'photos', '--json', '--device', 'cpu', '--out', 'p.jsonl', ...words];
  const { status, stderr } = await runInProcess(folder, given);
  expect({ status, stderr }).toMatchObject({ status: 0 });
  const lines = readFileSync(at('p.jsonl'), 'utf8').trimEnd().split('\n');
  const found = lines.map((line): Line => JSON.parse(line));
  return new Map(found.map((line) => [line.Filename.replace(/^photos\//, ''), line]));
}

test('training reports the rates of validation and test', () => {
  const { guard } = readSummary(runPaths(at('run')));
  expect(guard).toMatchObject({
    quantile: 0.98,
    validation: { images: scenes.validation },
    test: { images: scenes.test },
  });
  const { odd, reasons } = guard!.validation;
  // Each of six bounds leaves out 2% at most.
  expect(odd).toBeGreaterThan(0);
  expect(odd / scenes.validation).toBeLessThan(0.13);
  expect(Object.values(reasons).reduce((sum, count) => sum + count, 0)).toBe(odd);
  expect(guard!.test!.odd / scenes.test).toBeLessThan(0.25);
});

test('predict reviews odd images with the reason, and never clears them', async () => {
  const found = await predicted('run');
  expect(found.get('odd-black.png')?.odd).toBe('too dark');
  expect(found.get('odd-white.png')?.odd).toBe('overexposed');
  for (const [name, { odd, outcome }] of found) {
    if (name.startsWith('odd-')) expect(odd, name).toBeDefined();
    if (odd !== undefined) expect(['review', 'alarm']).toContain(outcome);
    else expect(outcome).not.toBe('review');
  }
  const usual = [...found.values()].filter(
    ({ Filename, odd }) => Filename.includes('usual') && odd === undefined,
  );
  expect(usual.length).toBeGreaterThanOrEqual(15);
});

test('alarms stay alarms: at a threshold that everything passes, nothing is reviewed', async () => {
  const found = await predicted('run', '--threshold', '0');
  expect(new Set(Array.from(found.values(), ({ outcome }) => outcome))).toEqual(new Set(['alarm']));
  expect(found.get('odd-black.png')?.odd).toBe('too dark');
});

test('tables have the outcome and the reason, and --outcome review lists them', async () => {
  const words = ['predict', 'run', 'photos', '--device', 'cpu', '--outcome', 'review', '--out', 'p.csv'];
  await runInProcess(folder, words);
  const [header, ...rows] = readFileSync(at('p.csv'), 'utf8').trimEnd().split('\n');
  expect(header).toMatch(/,outcome,odd,labels$/);
  expect(rows.some((row) => row.includes('odd-black.png') && row.includes(',review,too dark,'))).toBe(true);
  expect(rows.every((row) => row.includes(',review,'))).toBe(true);
  const shown = await runInProcess(folder, ['model', 'run']);
  expect(shown.stdout).toMatch(/guard +reviews odd images/);
});

test('an exported model has the same guard in its metadata', async () => {
  const { outputs, model } = await exportOnnx(at('run'), { out: at('model.onnx') });
  expect(outputs).toContain('embedding');
  expect(model.guard).toMatchObject({ quantile: 0.98 });
  const [own, exported] = [await predicted('run'), await predicted('model.onnx')];
  for (const [name, { odd, outcome }] of own)
    expect(exported.get(name)).toMatchObject({ outcome, ...(odd && { odd }) });
}, 60_000);

test('a server answers and logs the same', async () => {
  const own = await predicted('run');
  const options = { port: 0, device: 'cpu', drain: 0, log: () => {}, logPredictions: at('log.jsonl') };
  {
    await using server = await serve([at('run')], options);
    for (const [name, { odd, outcome }] of own) {
      const body = asBody(readFileSync(at(`photos/${name}`)));
      const answer = await fetch(`${server.url}/v1/predict`, { method: 'POST', body });
      const { predictions } = await answer.json();
      expect([name, predictions[0].outcome, predictions[0].odd]).toEqual([name, outcome, odd]);
    }
  }
  const lines = readFileSync(at('log.jsonl'), 'utf8').trimEnd().split('\n');
  const odd = lines.map((line): Line => JSON.parse(line)).filter((line) => line.odd !== undefined);
  expect(odd).toHaveLength([...own.values()].filter((line) => line.odd !== undefined).length);
}, 60_000);
