import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { calibrate, presenceScores, sigmoid } from '@anyclass/core';
import { nn, noGrad, randn, setSeed, type Tensor } from '@anyclass/torch';
import { InferenceSession, Tensor as OnnxTensor } from 'onnxruntime-node';
import { beforeAll, expect, test } from 'vitest';
import { testFolder } from '../../../../files/test/testFolder.js';
import { imageInputs } from '../../inference/imageInputs.js';
import { fixedDecision } from '../../inference/modelDecision.js';
import { readExport } from '../../inference/onnx/exportedModel.js';
import { readOnnxMetadata } from '../../inference/onnx/onnxMetadata.js';
import { openPredictor } from '../../inference/predictor.js';
import { createNetwork } from '../../networks/createNetwork.js';
import { type ModelDescription, saveModel } from '../../runs/modelFile.js';
import { exportNetwork, exportOnnx } from './exportOnnx.js';

const fixtures = fileURLToPath(new URL('../../../test/fixtures/data', import.meta.url));
const folder = testFolder();
const model = join(folder, 'model.safetensors');
const at = (...names: string[]) => join(folder, ...names);

const classes = ['crack', 'roots', 'deposits'];
const description: ModelDescription = {
  classes,
  channels: 3,
  mean: [0.5],
  std: [0.25],
  epoch: 7,
  loss: 'any-bce',
  dataset: 'digits',
  calibration: {
    kind: 'platt',
    classNames: classes,
    slopes: [1.5, 0.7, 1],
    intercepts: [0.2, -0.3, 0],
    undefinedClasses: [],
    fittedOn: 'validation',
  },
  decision: { ...fixedDecision(classes, 0.5), presence: 0.4, thresholds: [0.3, null, 0.7] },
};

beforeAll(() => {
  setSeed(1);
  using network = createNetwork('tresnet-s', { classes: 3, inputSize: 32 });
  nn.init.normal_(network.parameters().at(-2)!, 0, 0.5);
  saveModel(model, { network, description });
  for (const name of ['a', 'b', 'run', 'mine', 'gray', 'bad']) mkdirSync(at(name));
});

test('a model becomes one self-describing file, with the same description in config.json', async () => {
  const { check, outputs, bytes } = await exportOnnx(model, { out: at('a', 'model.onnx') });
  expect(outputs).toEqual(['logits', 'probabilities', 'presence_score']);
  expect(check!.largestError).toBeLessThan(1e-4 * check!.largestLogit);
  expect(readdirSync(at('a')).sort()).toEqual(['config.json', 'model.onnx']);
  expect(readFileSync(at('a', 'model.onnx')).length).toBe(bytes);
  const described = readExport(readOnnxMetadata(at('a', 'model.onnx')), 'model.onnx');
  expect({ file: 'model.onnx', ...described }).toEqual(
    JSON.parse(readFileSync(at('a', 'config.json'), 'utf8')),
  );
  expect(described).toMatchObject({
    network: 'tresnet-s',
    precision: 'float32',
    classes,
    preprocessing: {
      width: 32,
      height: 32,
      fit: 'fill',
      resize: 'triangle',
      channels: 3,
      mean: [0.5],
      std: [0.25],
    },
    calibration: description.calibration,
    decision: description.decision,
    training: { epoch: 7, loss: 'any-bce', dataset: 'digits' },
  });
});

test('the same model gives the same bytes', async () => {
  await exportOnnx(model, { out: at('b', 'model.onnx') });
  const [first, second] = [at('a', 'model.onnx'), at('b', 'model.onnx')].map((file) => readFileSync(file));
  expect(first!.equals(second!)).toBe(true);
});

test('probabilities are calibrated, and the presence score is that before calibration', async () => {
  const outputs = await run(at('a', 'model.onnx'), randn([4, 3, 32, 32]));
  const raw = Float32Array.from(outputs['logits']!.values, sigmoid);
  const expected = calibrate(raw, classes, description.calibration!);
  for (const [i, p] of outputs['probabilities']!.values.entries()) expect(p).toBeCloseTo(expected[i]!, 6);
  const presence = presenceScores(Float64Array.from(raw), classes.length);
  for (const [i, s] of outputs['presence_score']!.values.entries()) expect(s).toBeCloseTo(presence[i]!, 5);
});

test('the mean of a class activation map is the logit, and the embedding is the input of the head', async () => {
  await exportOnnx(model, { out: at('a', 'cam.onnx'), outputs: ['embedding', 'cam'] });
  const { cam, logits, embedding } = await run(at('a', 'cam.onnx'), randn([2, 3, 32, 32]));
  expect(cam!.shape).toEqual([2, 3, 2, 2]);
  expect(embedding!.shape).toEqual([2, 1024]);
  for (const [i, logit] of logits!.values.entries()) {
    const map = cam!.values.slice(4 * i, 4 * i + 4);
    expect(map.reduce((sum, value) => sum + value, 0) / 4).toBeCloseTo(logit, 5);
  }
});

test('predictions match those of the original model', async () => {
  using before = await openPredictor(model, { device: 'cpu' });
  using after = await openPredictor(at('a', 'model.onnx'));
  expect(after.decision).toEqual(before.decision);
  const expected = await all(before.predict(imageInputs([fixtures])));
  const actual = await all(after.predict(imageInputs([fixtures])));
  expect(actual.length).toBeGreaterThan(5);
  for (const [i, prediction] of actual.entries()) {
    const other = expected[i]!;
    if ('failure' in prediction || 'failure' in other) {
      expect(prediction).toEqual(other);
      continue;
    }
    expect([prediction.name, prediction.labels]).toEqual([other.name, other.labels]);
    expect(prediction.presenceScore).toBeCloseTo(other.presenceScore, 5);
    for (const [j, p] of prediction.probabilities.entries())
      expect(p).toBeCloseTo(other.probabilities[j]!, 5);
  }
});

test('class activation maps need a linear head over averaged maps', async () => {
  const network = createNetwork('resnet-18', { classes: 3, inputSize: 32, head: 'experts' });
  const options = { description, out: at('mine', 'cam.onnx') };
  await expect(exportNetwork(network, { ...options, outputs: ['cam'] })).rejects.toThrow(/cam needs/);
  expect((await exportNetwork(network, { ...options, outputs: ['embedding'] })).outputs).toContain(
    'embedding',
  );
});

class Mine extends nn.Module {
  readonly stem = new nn.Conv2d(3, 8, { kernel: 3, stride: 2 });
  readonly norm = new nn.BatchNorm2d(8);
  readonly dropout = new nn.Dropout(0.2);
  readonly head = new nn.Linear(8, 2);

  forward(images: Tensor): Tensor {
    const pooled = this.norm.forward(this.stem.forward(images)).relu_().mean([2, 3]);
    return this.head.forward(this.dropout.forward(pooled));
  }
}

test('a custom network is exported, including its activation maps', async () => {
  const mine = new Mine();
  const about = { classes: ['a', 'b'], channels: 3, mean: [0], std: [1] } as const;
  const out = at('mine', 'mine.onnx');
  const {
    check,
    outputs,
    model: exported,
  } = await exportNetwork(mine, {
    description: about,
    inputSize: 17,
    out,
    outputs: ['cam'],
  });
  expect(check!.largestError).toBeLessThan(1e-5);
  expect(outputs).toContain('cam');
  expect(exported).toMatchObject({ network: 'Mine', decision: { rule: 'fixed', thresholds: [0.5, 0.5] } });
  expect(mine.training).toBe(true);
});

test('a file with different results is deleted', async () => {
  class Flickering extends Mine {
    #count = 0;
    // Traced with one offset and compared with another.
    override forward(images: Tensor): Tensor {
      return super.forward(images).add(this.#count++ < 2 ? 0 : 1);
    }
  }
  const about = { classes: ['a', 'b'], channels: 3, mean: [0], std: [1] } as const;
  const options = { description: about, inputSize: 16, out: at('bad', 'bad.onnx') };
  await expect(exportNetwork(new Flickering(), options)).rejects.toThrow(/failed its check/);
  expect(readdirSync(at('bad'))).toEqual([]);
});

test('a network with NaN among its weights is not exported, and its tensor is named', async () => {
  const mine = new Mine();
  const [name, tensor] = [...mine.stateDict()][0]!;
  noGrad(() => tensor.fill_(Number.NaN));
  const about = { classes: ['a', 'b'], channels: 3, mean: [0], std: [1] } as const;
  const out = at('broken', 'broken.onnx');
  const exporting = exportNetwork(mine, { description: about, inputSize: 16, out });
  await expect(exporting).rejects.toThrow(`NaN or infinite: ${name}`);
  expect(existsSync(out)).toBe(false);
});

test('models in one folder each have a description, and none replaces that of another', async () => {
  const [first, second] = [at('two', 'first.onnx'), at('two', 'second.onnx')];
  const described = (name: string) => JSON.parse(readFileSync(at('two', name), 'utf8')).file;
  expect((await exportOnnx(model, { out: first })).config).toBe(at('two', 'config.json'));
  expect((await exportOnnx(model, { out: second })).config).toBe(at('two', 'second.config.json'));
  await exportOnnx(model, { out: first });
  expect(readdirSync(at('two')).sort()).toEqual([
    'config.json',
    'first.onnx',
    'second.config.json',
    'second.onnx',
  ]);
  expect([described('config.json'), described('second.config.json')]).toEqual(['first.onnx', 'second.onnx']);
  rmSync(first);
  expect((await exportOnnx(model, { out: second })).config).toBe(at('two', 'config.json'));
});

test('the config.json of a run is never overwritten', async () => {
  writeFileSync(at('run', 'config.json'), '{"configuration": {}}');
  await expect(exportOnnx(model, { out: at('run', 'model.onnx') })).rejects.toThrow(/config\.json/);
  expect(existsSync(at('run', 'model.onnx'))).toBe(false);
  expect(readFileSync(at('run', 'config.json'), 'utf8')).toBe('{"configuration": {}}');
});

async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const list: Item[] = [];
  for await (const item of items) list.push(item);
  return list;
}

async function run(file: string, images: Tensor) {
  const session = await InferenceSession.create(file);
  const input = new OnnxTensor('float32', images.toFloat32Array(), [...images.shape]);
  const outputs = await session.run({ pixel_values: input });
  await session.release();
  return Object.fromEntries(
    Object.entries(outputs).map(([name, { dims, data }]) => [
      name,
      { shape: dims, values: Array.from(data, Number) },
    ]),
  );
}
