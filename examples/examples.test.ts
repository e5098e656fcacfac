// Runs every example as a user would, on photos small enough for a test: the first as a process, from its build, and the others from
// their source in this process, which has loaded libtorch.

import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import sharp from 'sharp';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { testFolder } from '../packages/files/test/testFolder.js';

const folder = testFolder();
const dataset = join(folder, 'photos', 'labels.csv');
const run = join(folder, 'runs', 'followed');

beforeAll(async () => {
  await makePhotos();
  expect(await runBuilt('followTraining', dataset, run, '2')).toMatch(/done: test mAP/);
}, 120_000);

const smallRun = JSON.stringify({
  'data.dataset': dataset,
  'network.inputSize': 16,
  epochs: 1,
  batchSize: 16,
  'evaluation.replicates': 0,
  device: 'cpu',
  threads: 1,
});

/** The arguments of each example, and what it must print. */
const examples: Record<string, { readonly arguments: readonly string[]; readonly prints: RegExp }> = {
  lossByHand: { arguments: [], prints: /λ 0\.02: loss 0\.6564/ },
  splitByPatient: { arguments: [], prints: /70%: 279 rows of 81 patients, positives 33, 26, 26\n/ },
  chooseThresholds: { arguments: [run, '0.2'], prints: /test: F1 .*false alarms/ },
  tradeOff: { arguments: [run], prints: /budget 20%: F1/ },
  calibrateScores: { arguments: [run], prints: /log loss .* before/ },
  inspectData: { arguments: [dataset], prints: /train: \d+ positive/ },
  stopAndResume: {
    arguments: [dataset, join(folder, 'runs', 'stopped')],
    prints: /a checkpoint is saved\nresumed and finished 2 epochs/,
  },
  trainYourData: { arguments: [dataset, '1'], prints: /mAP/ },
  predictImages: {
    arguments: [run, join(folder, 'photos', 'photo-1.png')],
    prints: /photo-1\.png: .*%/,
  },
  evaluateScores: {
    arguments: ['test.csv', 'test.csv', 'test-labels.csv'].map((name) => join(run, 'scores', name)),
    prints: /macroF1: second minus first 0\.00 points/,
  },
  exportModel: {
    arguments: [run, join(folder, 'model.onnx'), join(folder, 'photos', 'photo-2.png')],
    prints: /model\.onnx: .* MB, .*checked[\s\S]*photo-2\.png: /,
  },
  ownNetwork: { arguments: [join(folder, 'own.onnx')], prints: /step 60: loss 0\.[\s\S]*bytes/ },
  compareLosses: {
    arguments: ['quick', join(folder, 'comparison'), '1', smallRun],
    prints: /any-bce/,
  },
  tuneSettings: {
    arguments: ['quick', join(folder, 'study'), '2', smallRun],
    prints: /best: \{.*optimizer\.rate/,
  },
  mnist: { arguments: ['1', '1280'], prints: /test accuracy [5-9]\d\.\d+%/ },
};

describe('examples', () => {
  for (const [name, { arguments: given, prints }] of Object.entries(examples)) {
    test(name, { timeout: 120_000 }, async () => {
      expect(await runExample(name, ...given)).toMatch(prints);
    });
  }

  test('every example is tested', () => {
    const programs = readdirSync(import.meta.dirname)
      .filter((file) => /^\w+\.ts$/.test(file))
      .map((file) => file.slice(0, -3));
    // followTraining created the run that others use.
    expect([...Object.keys(examples), 'followTraining'].sort()).toEqual(programs.sort());
  });
});

async function runBuilt(name: string, ...given: string[]): Promise<string> {
  const program = join(import.meta.dirname, 'dist', `${name}.js`);
  // Networks this small gain nothing from threads that wait for one another.
  const env = { ...process.env, OMP_NUM_THREADS: '1' };
  const { stdout } = await promisify(execFile)(process.execPath, [program, ...given], { cwd: folder, env });
  return stdout;
}

/** Runs an example where its module is loaded, and returns what it prints. */
async function runExample(name: string, ...given: string[]): Promise<string> {
  const lines: string[] = [];
  const log = vi.spyOn(console, 'log').mockImplementation((...texts) => void lines.push(texts.join(' ')));
  const progress = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  const [words, place, listeners] = [process.argv, process.cwd(), process.listeners('SIGINT')];
  process.argv = [...words.slice(0, 1), name, ...given];
  process.chdir(folder);
  try {
    await import(join(import.meta.dirname, `${name}.ts`));
  } finally {
    process.argv = words;
    process.chdir(place);
    for (const listener of process.listeners('SIGINT'))
      if (!listeners.includes(listener)) process.off('SIGINT', listener);
    log.mockRestore();
    progress.mockRestore();
  }
  return `${lines.join('\n')}\n`;
}

/** Writes 60 photos of noise; 'bright' and 'red' ones are positive, more than half are neither. */
async function makePhotos(): Promise<void> {
  mkdirSync(join(folder, 'photos'));
  const rows = ['Filename,bright,red'];
  for (let i = 0; i < 60; i++) {
    const [bright, red] = [i % 4 === 1, i % 6 === 2];
    const background = { r: red ? 220 : bright ? 200 : 60, g: bright ? 200 : 60, b: bright ? 200 : 60 };
    const file = `photo-${i}.png`;
    await sharp({
      create: {
        width: 32,
        height: 32,
        channels: 3,
        background,
        noise: { type: 'gaussian', mean: 0, sigma: 20 },
      },
    })
      .png()
      .toFile(join(folder, 'photos', file));
    rows.push(`${file},${Number(bright)},${Number(red)}`);
  }
  writeFileSync(dataset, `${rows.join('\n')}\n`);
}
