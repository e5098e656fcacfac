import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setSeed } from '@anyclass/torch';
import sharp from 'sharp';
import { beforeAll, expect, test } from 'vitest';
import { testFolder } from '../../../files/test/testFolder.js';
import { evaluate } from '../evaluation/evaluate.js';
import { createNetwork } from '../networks/createNetwork.js';
import { saveWeights } from '../networks/weights/saveWeights.js';
import { loadModel, saveModel } from '../runs/modelFile.js';
import { imageInputs } from './imageInputs.js';
import { fixedDecision } from './modelDecision.js';
import { openPredictor, type Prediction } from './predictor.js';

const fixtures = fileURLToPath(new URL('../../test/fixtures/data', import.meta.url));
const folder = testFolder();
const model = join(folder, 'model.safetensors');

beforeAll(() => {
  setSeed(1);
  using network = createNetwork('tresnet-s', { classes: 2, inputSize: 32 });
  const decision = fixedDecision(['crack', 'roots'], 0.5);
  saveModel(model, {
    network,
    description: {
      classes: ['crack', 'roots'],
      channels: 3,
      mean: [0.5],
      std: [0.25],
      epoch: 1,
      loss: 'bce',
      dataset: 'digits',
      decision: { ...decision, thresholds: [0.001, 0.999] },
    },
  });
  mkdirSync(join(folder, 'images', 'below'), { recursive: true });
  writeFileSync(join(folder, 'images', 'note.txt'), 'no image');
  writeFileSync(join(folder, 'images', 'b.jpg'), 'not an image either');
  writeFileSync(join(folder, 'images', 'below', 'c.png'), '');
});

async function predictions(images: string[], options: Parameters<typeof openPredictor>[1] = {}) {
  using predictor = await openPredictor(model, { device: 'cpu', ...options });
  const found = [];
  for await (const prediction of predictor.predict(imageInputs(images))) found.push(prediction);
  return found;
}

const rgb = join(fixtures, 'rgb.png');
const isPrediction = (value: object): value is Prediction => 'probabilities' in value;

test('predictions come in order, including failed ones, whatever the batch size', async () => {
  const paths = [rgb, join(folder, 'images', 'b.jpg'), join(fixtures, 'rgb.webp'), 'missing.png', rgb];
  const [one, many] = [
    await predictions(paths, { batchSize: 1 }),
    await predictions(paths, { batchSize: 4 }),
  ];
  expect(many.map(({ name }) => name)).toEqual(paths);
  expect(many.filter((value) => !isPrediction(value)).map(({ name }) => name)).toEqual([
    paths[1],
    'missing.png',
  ]);
  expect(many[3]).toEqual({ name: 'missing.png', failure: 'no such file' });
  const [a, b] = [one, many].map((list) =>
    list.filter(isPrediction).flatMap((value) => [...value.probabilities]),
  );
  a!.forEach((value, i) => {
    expect(value).toBeCloseTo(b![i]!, 5);
  });
});

test("labels are decided by the model's decision, or by one number", async () => {
  const labels = async (options: Parameters<typeof openPredictor>[1]) =>
    (await predictions([rgb], options)).filter(isPrediction)[0]!.labels;
  expect(await labels({})).toEqual(['crack']);
  expect(await labels({ decision: 0 })).toEqual(['crack', 'roots']);
  expect(await labels({ decision: 1 })).toEqual([]);
  await expect(labels({ decision: { budget: { falseAlarms: 0.02 } } })).rejects.toThrow(
    'is a model file without scores to fit a decision on',
  );
});

/** A copy of the test's model with changes to its description. */
function described(name: string, change: object): string {
  const { network, description } = loadModel(model);
  using loaded = network;
  const path = join(folder, name);
  saveModel(path, { network: loaded, description: { ...description, ...change } });
  return path;
}

test('an image that does not pass the gate is negative, whatever its classes say', async () => {
  const { decision } = loadModel(model).description;
  const gated = described('gated.safetensors', { decision: { ...decision, presence: 1000 } });
  using predictor = await openPredictor(gated, { device: 'cpu' });
  const one = await predictor.predictOne(rgb);
  expect(one).toMatchObject({ labels: [], isNegative: true, presence: { gate: 1, passes: false } });
  expect(one.probabilities['crack']).toBeGreaterThan(one.thresholds['crack']!);
});

test('probabilities are calibrated if training found that it helps', async () => {
  const calibration = { kind: 'temperature', temperature: 2, atBound: false, fittedOn: 'validation' };
  const calibrated = described('calibrated.safetensors', { calibration });
  const probability = async (path: string) => {
    using predictor = await openPredictor(path, { device: 'cpu' });
    return (await predictor.predictOne(rgb)).probabilities['crack']!;
  };
  const logit = (p: number) => Math.log(p / (1 - p));
  expect(logit(await probability(calibrated))).toBeCloseTo(logit(await probability(model)) / 2, 4);
});

test('a model file from before decisions is refused, with what to do', async () => {
  const older = described('older.safetensors', { decision: undefined, thresholds: { values: [0.1, 0.9] } });
  await expect(openPredictor(older, { device: 'cpu' })).rejects.toThrow(
    /older\.safetensors: written by an earlier version.*train again/,
  );
});

test('weights without classes are refused with what is missing', async () => {
  using network = createNetwork('tresnet-s', { classes: 2, inputSize: 32 });
  saveWeights(network, join(folder, 'plain.safetensors'));
  await expect(openPredictor(join(folder, 'plain.safetensors'))).rejects.toThrow(
    'no network name and classes',
  );
  await expect(openPredictor(folder.concat('/images'))).rejects.toThrow('images: not a run');
  const [exported, unfinished] = [join(folder, 'exported'), join(folder, 'unfinished')];
  for (const each of [exported, unfinished]) mkdirSync(each);
  writeFileSync(join(exported, 'config.json'), '{"format":"anyclass","file":"model.onnx"}');
  writeFileSync(join(unfinished, 'config.json'), '{"configuration":{}}');
  await expect(openPredictor(exported)).rejects.toThrow('exported: not a run');
  await expect(openPredictor(unfinished)).rejects.toThrow('no model.safetensors; if the run is not finished');
});

test('one image is predicted from its path or its bytes, with probabilities by class name', async () => {
  using predictor = await openPredictor(model, { device: 'cpu' });
  const [expected] = (await predictions([rgb])).filter(isPrediction);
  const one = await predictor.predictOne(rgb);
  expect(Object.keys(one.probabilities)).toEqual(['crack', 'roots']);
  expect(Object.values(one.probabilities)).toEqual([...expected!.probabilities]);
  expect(one).toMatchObject({ labels: expected!.labels, isNegative: expected!.labels.length === 0 });
  expect(await predictor.predictOne(readFileSync(rgb))).toEqual(one);
  await expect(predictor.predictOne(join(folder, 'images', 'b.jpg'))).rejects.toThrow('b.jpg: ');
  await expect(predictor.predictOne(join(folder, 'nowhere.jpg'))).rejects.toThrow('nowhere.jpg: ');
});

test('predict and evaluate see the same pixels: the same image has the same score in both', async () => {
  const photographs = await Promise.all(
    ['a.jpg', 'b.jpg', 'c.png'].map(async (name, i) => {
      const noise = Buffer.from(
        Array.from({ length: 61 * 47 * 3 }, (_, at) => (at * (7 + i) + (at >> 3)) % 251),
      );
      const path = join(folder, `same-${name}`);
      await sharp(noise, { raw: { width: 61, height: 47, channels: 3 } }).toFile(path);
      return path;
    }),
  );
  const table = join(folder, 'same.csv');
  writeFileSync(
    table,
    ['Filename,split,crack,roots', ...photographs.map((path, i) => `${basename(path)},test,${i % 2},1`)].join(
      '\n',
    ),
  );
  const { scored } = await evaluate(model, table, {
    device: 'cpu',
    replicates: 0,
    open: { splitColumn: 'split' },
  });
  const predicted = (await predictions(photographs)).filter(isPrediction);
  expect([...scored.scores].sort()).toEqual(predicted.flatMap((each) => [...each.probabilities]).sort());
});
