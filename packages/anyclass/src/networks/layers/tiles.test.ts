import { join } from 'node:path';
import { noGrad, randn, setSeed, type Tensor, tensor } from '@anyclass/torch';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { testFolder } from '../../../../files/test/testFolder.js';
import { gradientError } from '../../../../torch/test/gradcheck.js';
import { heatMaps } from '../../explain/heatMaps.js';
import { exportNetwork } from '../../export/onnx/exportOnnx.js';
import { openSession } from '../../inference/onnx/onnxRuntime.js';
import { openOnnxScorer } from '../../inference/onnx/onnxScorer.js';
import { createNetwork } from '../createNetwork.js';
import { cutTiles, poolTiles, tilePlaces, tileStarts } from './tiles.js';

const folder = testFolder();

test('tiles cover the whole image, and neighbors share at least the overlap', () => {
  const sizes = fc.record({ size: fc.integer({ min: 2, max: 64 }), more: fc.integer({ min: 1, max: 300 }) });
  fc.assert(
    fc.property(sizes, fc.nat(63), ({ size, more }, nat) => {
      const overlap = nat % size;
      const starts = tileStarts(size, { imageSize: size + more, overlap });
      expect(starts[0]).toBe(0);
      expect(starts.at(-1)).toBe(more);
      starts.slice(1).forEach((start, i) => {
        expect(start - starts[i]!).toBeLessThanOrEqual(Math.max(1, size - overlap));
        expect(start).toBeGreaterThan(starts[i]!);
      });
    }),
  );
});

const logits = fc
  .record({ tiles: fc.integer({ min: 1, max: 6 }), batch: fc.integer({ min: 1, max: 3 }) })
  .chain(({ tiles, batch }) =>
    fc
      .array(fc.double({ min: -30, max: 30, noNaN: true }), {
        minLength: tiles * batch * 2,
        maxLength: tiles * batch * 2,
      })
      .map((values) => ({ values, shape: [tiles, batch, 2] })),
  );

test('pooled logits are the maximum, or the logit of a noisy or', () => {
  fc.assert(
    fc.property(logits, ({ values, shape: [tiles = 0, batch = 0, classes = 0] }) => {
      const given = tensor(Float32Array.from(values), { shape: [tiles, batch, classes] });
      const [max, or] = (['max', 'noisy-or'] as const).map((pool) => poolTiles(given, pool).toFloat32Array());
      for (let i = 0; i < batch * classes; i++) {
        const own = Array.from({ length: tiles }, (_, tile) =>
          Math.fround(values[tile * batch * classes + i]!),
        );
        expect(max![i] === Math.max(...own)).toBe(true);
        // log(exp(S) - 1), S = Σ log(1 + exp(z - log tiles))
        const sum = own.reduce((total, z) => total + Math.log1p(Math.exp(z - Math.log(tiles))), 0);
        const expected = sum > 30 ? sum : Math.log(Math.expm1(sum));
        expect(Math.abs(or![i]! - expected)).toBeLessThan(1e-4 * Math.max(1, Math.abs(expected)));
      }
    }),
  );
});

test('the gradient of a noisy or reaches every tile, also where all are sure', () => {
  const z = tensor([[[1.5, -20]], [[0.5, -22]], [[-2, -25]]], { dtype: 'float32', requiresGrad: true });
  poolTiles(z, 'noisy-or').sum().backward();
  const slopes = z.grad!.toFloat32Array();
  expect(slopes.every((slope) => slope > 0 && Number.isFinite(slope))).toBe(true);
  expect(slopes[1]! + slopes[3]! + slopes[5]!).toBeCloseTo(1, 3);
  const leaf = tensor([[[0.3]], [[-0.7]]], { dtype: 'float64', requiresGrad: true });
  expect(gradientError(() => poolTiles(leaf, 'max'), [leaf])).toBeLessThan(1e-6);
});

const tiles = { imageSize: 80, overlap: 8, pool: 'noisy-or' } as const;

test('a network scores each tile as it would score an image of that size, in any number of passes', () => {
  setSeed(1);
  using network = createNetwork('resnet-18', { classes: 3, inputSize: 32, tiles }).eval();
  expect(network.inputShape).toEqual([3, 80, 80]);
  const images = randn([2, 3, 80, 80]);
  const [whole, parts] = noGrad(() => {
    const pooled = network.forward(images);
    network.tilesAtOnce = 5;
    return [pooled, network.forward(images)];
  });
  expectClose(parts, whole.toFloat32Array(), 1e-4);
  using single = createNetwork('resnet-18', { classes: 3, inputSize: 32 }).eval();
  single.loadStateDict(network.stateDict());
  const byTile = noGrad(() => single.forward(cutTiles(images, 32, tilePlaces(32, tiles))));
  expectClose(network.tileLogits(images), byTile.toFloat32Array(), 1e-4);
  expect(network.tileLogits(images).shape).toEqual([9, 2, 3]);
  const [map] = heatMaps(network, images, [1, 'presence']);
  expect([map!.rows, map!.columns, map!.method]).toEqual([3, 3, 'tiles']);
  expect(map!.values[4]).toBeCloseTo(1 / (1 + 9 * Math.exp(-byTile.at(8, 1).toNumber())), 4);
  expect(() => heatMaps(network, images, [0, 0], { method: 'cam' })).toThrow(/tiles/);
});

test('an exported file cuts, scores and pools tiles itself, for any batch', async () => {
  setSeed(2);
  using network = createNetwork('resnet-18', { classes: 2, inputSize: 32, tiles }).eval();
  const description = { classes: ['a', 'b'], channels: 3, mean: [0, 0, 0], std: [1, 1, 1] } as const;
  const out = join(folder, 'tiles.onnx');
  const { bytes, outputs } = await exportNetwork(network, { description, out, outputs: ['embedding'] });
  expect(outputs).toContain('embedding'); // a guard needs it
  expect(bytes).toBeLessThan(50e6); // the weights once
  using scorer = await openOnnxScorer(out, {});
  expect(scorer.scorer.format).toMatchObject({ width: 80, height: 80 });
  const size = 3;
  const inputs = Uint8Array.from({ length: size * 80 * 80 * 3 }, (_, i) => (i * i) % 251);
  const exported = await scorer.scorer.score({ size, inputs });
  const pixels = tensor(inputs, { shape: [size, 80, 80, 3] })
    .to('float32')
    .div(255)
    .permute([0, 3, 1, 2]);
  expectClose(
    noGrad(() => network.forward(pixels)),
    exported.logits,
    2e-3,
  );
  const [logits, embedding] = noGrad(() => network.logitsAndEmbedding(pixels));
  expectClose(logits, exported.logits, 2e-3);
  expectClose(
    noGrad(() => network.embedding(pixels)),
    embedding.toFloat32Array(),
    1e-4,
  );
  const { runtime, session } = await openSession(out, {});
  const found = await session.run(
    {
      pixel_values: new runtime.Tensor('float32', pixels.contiguous().toFloat32Array(), [...pixels.shape]),
    },
    ['embedding'],
  );
  const data = found['embedding']?.data;
  if (!(data instanceof Float32Array)) throw new Error('the file has no embedding');
  expectClose(embedding, data, 2e-3);
  await session.release();
});

test('tiles that do not fit are refused with what is expected', () => {
  const wrong = (changes: object) => () =>
    createNetwork('resnet-18', { classes: 2, inputSize: 32, tiles: { ...tiles, ...changes } });
  expect(wrong({ imageSize: 32 })).toThrow(/tiles.imageSize is 32; expected more than inputSize, 32/);
  expect(wrong({ overlap: 32 })).toThrow(/tiles.overlap is 32/);
  expect(() => createNetwork('mlp', { classes: 2, inputSize: 8, tiles })).toThrow(/takes features/);
});

function expectClose(found: Tensor, expected: ArrayLike<number>, tolerance: number): void {
  const values = found.toFloat32Array();
  expect(values.length).toBe(expected.length);
  values.forEach((value, i) => {
    expect(Math.abs(value - expected[i]!)).toBeLessThan(tolerance * Math.max(1, Math.abs(expected[i]!)));
  });
}
