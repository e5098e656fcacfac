// From a table of feature vectors to an evaluated, exported model, as a user would do it.

import { readFileSync, writeFileSync } from 'node:fs';
import { NumpyRandom } from '@anyclass/core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { testFolder } from '../../../files/test/testFolder.js';
import { runDisplay } from '../commandLine/display/runDisplay.js';
import { runProgram } from '../commandLine/program.js';
import type { ConfigurationInput } from '../configuration/schema.js';
import { openPredictor } from '../inference/predictor.js';
import { loadModel } from '../runs/modelFile.js';
import { resumeRun } from '../training/resumeRun.js';
import { trainRun } from '../training/trainRun.js';
import { commands } from './index.js';

const folder = testFolder();
const before = process.cwd();
afterAll(() => {
  process.chdir(before);
});

async function run(...words: string[]): Promise<{ code: number; out: string; err: string }> {
  const [out, err]: [string[], string[]] = [[], []];
  const code = await runProgram(commands, words, {
    print: (text) => out.push(text),
    note: (text) => err.push(text),
    onEvent: runDisplay({ isTTY: false, write: (text) => shown.push(text) }),
  });
  return { code, out: out.join('\n'), err: err.join('\n') };
}

/** The events that the terminal has shown since the first command. */
const shown: string[] = [];
const features = ['moisture', 'ph', 'clay', 'noise'];

/**
 * Fields, about one in three of which is dry or sour; features far from 0 and on very different scales, some
 * missing.
 */
function fields(count: number, seed: number): string[] {
  const random = new NumpyRandom(seed);
  return Array.from({ length: count }, (_, i) => {
    const [dry, sour] = [random.random() < 0.2, random.random() < 0.15];
    const values = [
      1e4 + 300 * random.random() - (dry ? 250 : 0),
      7 + 0.2 * random.random() - (sour ? 0.15 : 0),
      random.random(),
      i % 17 === 0 ? '' : 1e-4 * random.random(),
    ];
    return [`field-${seed}-${i}`, ...values, Number(dry), Number(sour)].join(',');
  });
}

const header = `name,${features.join(',')},dry,sour`;
const asFeatures = ['--set', `data.columns.features=${JSON.stringify(features)}`];
const training = [...asFeatures, '--set', 'epochs=12', '--set', 'threads=1', '--set', 'device=cpu'];

beforeAll(async () => {
  process.chdir(folder);
  writeFileSync('soil.csv', [header, ...fields(600, 1)].join('\n'));
  // The same columns in another order, plus one that the model does not know.
  const other = fields(60, 2).map((line) => {
    const [name, moisture, ph, clay, noise, dry, sour] = line.split(',');
    return [sour, 'test', noise, clay, name, 'sunny', ph, moisture, dry].join(',');
  });
  writeFileSync('new.csv', ['sour,split,noise,clay,name,weather,ph,moisture,dry', ...other].join('\n'));
  const { code, err } = await run('train', 'features', '--data', 'soil.csv', ...training, '--run', 'soil');
  expect({ code, err }).toMatchObject({
    code: 0,
    err: expect.stringMatching(/next +anyclass predict soil TABLE · anyclass serve soil/),
  });
}, 180_000);

test('training standardizes the features with statistics of the training rows and stores them with the model', () => {
  const { network, description } = loadModel('soil');
  expect(description).toMatchObject({ classes: ['dry', 'sour'], features });
  const mean = network.stateDict().get('mean')!.toFloat32Array();
  expect(mean[0]).toBeGreaterThan(9500);
  expect(mean[3]).toBeGreaterThan(0);
  expect(mean[3]).toBeLessThan(1e-4);
  network.dispose();
  const summary = JSON.parse(readFileSync('soil/summary.json', 'utf8'));
  expect(summary.test.metrics.mAP).toBeGreaterThan(0.8);
});

test('progress and results speak of rows, never of images', async () => {
  const evaluated = await run('evaluate', 'soil');
  expect(evaluated.out).toMatch(
    /^With its decision, the model predicts a class for [\d.]+% of positives and .*\n/,
  );
  expect(shown.join('')).toMatch(/\d rows/);
  expect(`${shown.join('')}${evaluated.out}`).not.toMatch(/image/);
});

describe('predict', () => {
  test('finds the features of a table by name, whatever else the table contains', async () => {
    const { code } = await run('predict', 'soil', 'new.csv', '--out', 'predictions.csv');
    expect(code).toBe(0);
    const [first, ...lines] = readFileSync('predictions.csv', 'utf8').trim().split('\n');
    expect(first).toBe('Filename,dry,sour,labels');
    expect(lines).toHaveLength(60);
    expect(lines[0]).toMatch(/^field-2-0,/);
  });

  test('gives a vector the same labels by name and by position, and says what is missing', async () => {
    using predictor = await openPredictor('soil', { device: 'cpu' });
    const values = { moisture: 9800, ph: 7.1, clay: 0.5, noise: 5e-5 };
    const byName = await predictor.predictOne(values);
    expect(byName.labels).toContain('dry');
    expect(await predictor.predictOne(Object.values(values))).toEqual(byName);
    await expect(predictor.predictOne({ moisture: 1 })).rejects.toThrow("feature 'ph' is missing");
    await expect(predictor.predictOne([1, 2])).rejects.toThrow('has 2 features; the model takes 4');
    await expect(predictor.predictOne('photo.jpg')).rejects.toThrow('the model takes features');
  });

  test('names the features that a table lacks', async () => {
    writeFileSync('short.csv', 'name,moisture,ph\na,1,2\n');
    const { code, err } = await run('predict', 'soil', 'short.csv', '--out', 'short-predictions.csv');
    expect(code).toBe(3);
    expect(err).toContain("short.csv lacks 2 of the model's 4 features: clay, noise");
  });
});

test('evaluate takes other tables with the same columns in any order', async () => {
  const ignored = ['--set', 'data.columns.ignore=["weather"]'];
  const { code, out, err } = await run(
    'evaluate',
    'soil',
    'new.csv',
    ...ignored,
    '--json',
    '--replicates',
    '0',
  );
  expect({ code, err }).toEqual({ code: 0, err: '' });
  expect(JSON.parse(out).metrics.mAP).toBeGreaterThan(0.8);
});

test('an exported model takes unscaled `features` and gives the same probabilities', async () => {
  const { code, out, err } = await run('export', 'soil', '--out', 'onnx/soil.onnx');
  expect({ code, err }).toEqual({ code: 0, err: '' });
  expect(out).toMatch(/^onnx\/soil\.onnx matches libtorch: .*\nonnx\/soil\.onnx: mlp, 2 classes/);
  const config = JSON.parse(readFileSync('onnx/config.json', 'utf8'));
  expect(config.preprocessing).toEqual({ features });
  using exported = await openPredictor('onnx/soil.onnx');
  using original = await openPredictor('soil', { device: 'cpu' });
  for (const vector of [
    [9800, 7.1, 0.5, 5e-5],
    [10_200, Number.NaN, 0.1, 0],
  ]) {
    const [a, b] = [await exported.predictOne(vector), await original.predictOne(vector)];
    for (const name of ['dry', 'sour']) expect(a.probabilities[name]).toBeCloseTo(b.probabilities[name]!, 5);
  }
});

test('a run of features resumes to the same weights as one that was not stopped', async () => {
  const stopping = new AbortController();
  const configuration: ConfigurationInput = {
    data: { dataset: 'soil.csv', columns: { features } },
    network: { name: 'mlp', hidden: [16] },
    epochs: 3,
    threads: 1,
    device: 'cpu',
  };
  await trainRun(configuration, { run: 'whole' });
  await trainRun(configuration, {
    run: 'stopped',
    signal: stopping.signal,
    onEvent: (event) => {
      if (event.type === 'validated') stopping.abort();
    },
  });
  await resumeRun('stopped');
  const weights = ['whole', 'stopped'].map((path) => {
    const { network } = loadModel(path);
    const values = [...network.stateDict().values()].map((tensor) => [...tensor.toFloat32Array()]);
    network.dispose();
    return values;
  });
  expect(weights[0]).toEqual(weights[1]);
}, 60_000);

test.each([
  [['train', 'features', '--data', 'digits'], 'network.name'],
  [['train', 'strong', '--data', 'soil.csv', ...asFeatures], 'network.name=mlp'],
  [['train', 'features', '--data', 'soil.csv', ...asFeatures, '--set', 'data.channels=1'], 'data.channels'],
  [
    ['train', 'features', '--data', 'soil.csv', ...asFeatures, '--set', 'augmentation=photograph'],
    'augmentation=none',
  ],
  [
    ['train', 'features', '--data', 'soil.csv', ...asFeatures, '--set', 'network.inputSize=9'],
    'network.inputSize=4',
  ],
  [['prepare', 'soil.csv', ...asFeatures], 'holds features'],
  [['export', 'soil', '--format', 'timm', '--out', 'timm'], 'timm has no mlp'],
])('%j is rejected with advice', async (words, advice) => {
  const { code, err } = await run(...words);
  expect(code).toBe(1);
  expect(err).toContain(advice);
});

test('init suggests a network for features, and inspect examines the table', async () => {
  const suggested = await run('init', 'soil.csv', ...asFeatures, '--out', 'suggested.json');
  expect(suggested).toMatchObject({ code: 0 });
  expect(readFileSync('suggested.json', 'utf8')).toContain('mlp');
  const { code, out } = await run('inspect', 'soil.csv', ...asFeatures, '--json');
  expect(code).toBe(0);
  expect(JSON.parse(out)).toMatchObject({ classes: ['dry', 'sour'] });
});
