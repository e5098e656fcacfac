import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { tensor } from '@anyclass/torch';
import fc from 'fast-check';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { beforeAll, describe, expect, test } from 'vitest';
import { testFolder } from '../../../../../files/test/testFolder.js';
import { graphBytes } from '../../../../test/onnxFunction.js';
import { tinyRun, tinyScenes } from '../../../../test/tinyRun.js';
import { createNetwork } from '../../../networks/createNetwork.js';
import { loadModel, saveModel } from '../../../runs/modelFile.js';
import { trainRun } from '../../../training/trainRun.js';
import { exportOnnx } from '../exportOnnx.js';
import type { Graph } from '../graph/graph.js';
import { networkGraph } from '../networkGraph.js';
import { float16Bits, inFloat16 } from './float16.js';
import { inInt8 } from './int8.js';
import { judgePrecision } from './judgePrecision.js';

const folder = testFolder();
const at = (...names: string[]) => join(folder, ...names);

test('numbers are rounded to float16 as libtorch rounds them', () => {
  const numbers = fc.float32Array({ minLength: 1, maxLength: 200 });
  fc.assert(
    fc.property(numbers, (values) => {
      using half = tensor(values).to('float16');
      const expected = half.toTypedArray();
      return values.every((value, i) => Number.isNaN(value) || float16Bits(value) === expected[i]);
    }),
  );
  // Ties, the smallest numbers, and the threshold to infinity.
  const ties = Float32Array.of(
    1 + 2 ** -11,
    1 + 3 * 2 ** -11,
    2 ** -24,
    2 ** -25,
    1.5 * 2 ** -24,
    65519,
    65520,
    -0,
    2 ** -14 - 2 ** -25,
  );
  using half = tensor(ties).to('float16');
  expect(Array.from(ties, float16Bits)).toEqual(Array.from(half.toTypedArray(), Number));
});

test.each([
  ['resnet-18', 'gem'],
  ['convnextv2-t', 'linear'],
] as const)(
  '%s with head %s computes powers and norms in float32: they may exceed float16',
  async (name, head) => {
    using network = createNetwork(name, { classes: 3, inputSize: 64, head }).eval();
    using exported = networkGraph(network, { inputShape: network.inputShape });
    const half = inFloat16(exported.graph);
    const isHalf = new Set(half.initializers.filter(({ type }) => type === 'float16').map((one) => one.name));
    for (const { operator, inputs, outputs } of half.nodes) {
      if (['Pow', 'ReduceL2'].includes(operator))
        for (const value of outputs) expect(value).toMatch(/:wide$/);
      if (operator !== 'Cast' && outputs.some((value) => value.endsWith(':wide')))
        expect(inputs.filter((value) => isHalf.has(value) || !/:wide$|^fc\.p$|constant/.test(value))).toEqual(
          [],
        );
    }
    expect(half.nodes.some(({ outputs }) => outputs[0]?.endsWith(':wide'))).toBe(true);
    const images = new Tensor(
      'float32',
      Float32Array.from({ length: 3 * 64 ** 2 }, (_, i) => Math.sin(i)),
      [1, 3, 64, 64],
    );
    const logits = await Promise.all(
      [exported.graph, half].map(async (graph) => {
        const session = await InferenceSession.create(graphBytes(graph), { intraOpNumThreads: 1 });
        const outputs = await session.run({ pixel_values: images });
        await session.release();
        return Array.from(outputs['logits']!.data, Number);
      }),
    );
    const largest = Math.max(...logits[0]!.map(Math.abs));
    for (const [i, value] of logits[0]!.entries())
      expect(Math.abs(logits[1]![i]! - value)).toBeLessThan(0.01 * largest);
  },
);

const weight = Float32Array.from({ length: 32 * 64 }, (_, i) => Math.sin(i) * (1 + Math.floor(i / 64)));
const product: Graph = {
  name: 'product',
  inputs: [{ name: 'pixel_values', type: 'float32', shape: ['batch', 64] }],
  outputs: [
    { name: 'logits', type: 'float32', shape: ['batch', 32] },
    { name: 'probabilities', type: 'float32', shape: ['batch', 32] },
  ],
  nodes: [
    {
      operator: 'Gemm',
      name: 'gemm',
      inputs: ['pixel_values', 'weight'],
      outputs: ['logits'],
      attributes: { transB: { int: 1 } },
    },
    { operator: 'Sigmoid', name: 'sigmoid', inputs: ['logits'], outputs: ['probabilities'], attributes: {} },
  ],
  initializers: [
    { name: 'weight', type: 'float32', shape: [32, 64], read: () => new Uint8Array(weight.buffer) },
  ],
};

const pixels = Float32Array.from({ length: 128 }, (_, i) => Math.cos(i));

async function outputsOf(graph: Graph) {
  const session = await InferenceSession.create(graphBytes(graph));
  const outputs = await session.run({ pixel_values: new Tensor('float32', pixels, [2, 64]) });
  await session.release();
  return outputs;
}

/**
 * Returns, for each logit, the sum of the inputs' magnitudes, each multiplied by a function of its weight.
 */
function bound(ofWeight: (channel: number, value: number) => number): number[] {
  return Array.from({ length: 64 }, (_, i) => {
    const [row, channel] = [Math.floor(i / 32), i % 32];
    let sum = 0;
    for (let k = 0; k < 64; k++)
      sum += Math.abs(pixels[row * 64 + k]!) * ofWeight(channel, Math.abs(weight[channel * 64 + k]!));
    return sum;
  });
}

test('a graph in float16 takes and gives float32', async () => {
  const [exact, half] = [await outputsOf(product), await outputsOf(inFloat16(product))];
  expect([half['logits']?.type, half['probabilities']?.type]).toEqual(['float32', 'float32']);
  // Weights, pixels and the sum each have eleven significant bits.
  const most = bound((_, value) => 3 * 2 ** -11 * value);
  const [a, b] = [exact['logits']!.data, half['logits']!.data];
  for (let i = 0; i < a.length; i++) expect(Math.abs(Number(a[i]) - Number(b[i]))).toBeLessThan(most[i]!);
  expect(graphBytes(inFloat16(product)).length).toBeLessThan(graphBytes(product).length * 0.6);
});

test('a graph with int8 weights is off by at most half a step of each channel', async () => {
  const integers = inInt8(product);
  expect(graphBytes(integers).length).toBeLessThan(graphBytes(product).length * 0.4);
  const values = new Int8Array(integers.initializers.find(({ type }) => type === 'int8')!.read().buffer);
  const scales = new Float32Array(
    integers.initializers.find(({ shape }) => shape.length === 1)!.read().buffer,
  );
  for (const [i, value] of weight.entries()) {
    const scale = scales[Math.floor(i / 64)]!;
    expect(Math.abs(values[i]! * scale - value)).toBeLessThan(0.501 * scale);
  }
  const [exact, rounded] = [await outputsOf(product), await outputsOf(integers)];
  const [a, b] = [exact['logits']!.data, rounded['logits']!.data];
  const most = bound((channel) => 0.51 * scales[channel]!);
  for (let i = 0; i < a.length; i++) expect(Math.abs(Number(a[i]) - Number(b[i]))).toBeLessThan(most[i]!);
});

describe('a lower precision is evaluated on the validation images of the run', () => {
  const run = at('run');
  beforeAll(async () => {
    await trainRun(tinyRun, { run });
  }, 120_000);

  test.each(['float16', 'int8'] as const)('%s is kept if it predicts as well', async (precision) => {
    const out = at(precision, 'model.onnx');
    const { judgment, check, bytes } = await exportOnnx(run, { out, precision });
    expect(judgment?.images).toBe(tinyScenes.validation);
    expect(judgment!.float32 - judgment!.mAP).toBeLessThan(precision === 'float16' ? 0.0005 : 0.005);
    expect(check!.largestError).toBeGreaterThan(0);
    expect(bytes).toBeLessThan(statSync(join(run, 'model.safetensors')).size * 0.6);
  });

  test('a precision that predicts worse is rejected', async () => {
    const { description } = loadModel(run);
    using fresh = createNetwork('tresnet-s', { classes: description.classes.length, inputSize: 32 });
    saveModel(at('fresh.safetensors'), { network: fresh, description });
    await exportOnnx(at('fresh.safetensors'), { out: at('worse', 'model.onnx') });
    await expect(judgePrecision(at('worse', 'model.onnx'), run, 'int8')).rejects.toThrow(
      /int8 costs .* points of mAP/,
    );
  });

  test('a bare model file needs data for the evaluation', async () => {
    const options = { out: at('bare', 'model.onnx'), precision: 'float16' } as const;
    await expect(exportOnnx(join(run, 'model.safetensors'), options)).rejects.toThrow(
      /evaluated on validation images/,
    );
    expect(existsSync(at('bare')) ? readdirSync(at('bare')) : []).toEqual([]);
  });
});
