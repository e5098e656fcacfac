import { arange, nn, noGrad, randn, slice, type Tensor, tensor, zeros } from '@anyclass/torch';
import { describe, expect, test } from 'vitest';
import { ActivatedBatchNorm } from './activatedBatchNorm.js';
import { BlurPool } from './blurPool.js';
import { ExpertHeads } from './classHead.js';
import { PartitionAttention } from './partitionAttention.js';
import { RelativeAttention } from './relativeAttention.js';
import { SpaceToDepth } from './spaceToDepth.js';
import { SqueezeExcite } from './squeezeExcite.js';

const channelsLast = { memoryFormat: 'channelsLast' } as const;

describe('activated batch norm', () => {
  test('scales by |weight| + eps, with gradient +1 at zero and -1 below', () => {
    const norm = new ActivatedBatchNorm(3, { absoluteWeight: true });
    noGrad(() => void norm.weight.copy_(tensor([0, 0.7, -0.7])));
    const x = randn([4, 1, 5, 5]).expand([4, 3, 5, 5]).clone();
    // Alike, so that the gradients are not near zero by chance.
    const pattern = x.narrow(1, 0, 1).mul(0.1);
    const y = norm.forward(x);
    expect(y.select(1, 1).equal(y.select(1, 2))).toBe(true);
    expect(y.select(1, 0).abs().amax().toNumber()).toBeLessThan(1e-4);
    y.mul(pattern).sum().backward();
    const [atZero, above, below] = norm.weight.grad!.toFloat32Array();
    expect(atZero).toBeCloseTo(above!, 4);
    expect(below).toBeCloseTo(-above!, 4);
    expect(Math.abs(above!)).toBeGreaterThan(0.1);
  });

  test('leaky ReLU keeps a slope below zero', () => {
    const norm = new ActivatedBatchNorm(1, { activation: { leakySlope: 0.25 } }).eval();
    const y = norm.forward(tensor([[[[-4, 8]]]]));
    expect(y.flatten().toArray()).toEqual([expect.closeTo(-1, 4), expect.closeTo(8, 3)]);
  });
});

describe('blur pool', () => {
  test('applies 1 2 1 weights in both directions with reflected edges and takes every second pixel', () => {
    const image = arange(0, 16).view([1, 1, 4, 4]);
    // Row -1 is row 1: (2·r0 + 2·r1) / 4 above, then rows 1 to 3; the same across.
    const [first, , , last] = new BlurPool(1).forward(image).flatten().toArray() as number[];
    expect(first).toBeCloseTo((4 * 0 + 4 * 1 + 4 * 4 + 4 * 5) / 16, 6);
    expect(last).toBeCloseTo(10, 6);
  });

  test('uses the loaded filter in both memory layouts', () => {
    const pool = new BlurPool(5);
    noGrad(() => void pool.filt.copy_(randn([5, 1, 3, 3])));
    const x = randn([2, 5, 7, 6]);
    const expected = pool.forward(x);
    const found = pool.forward(x.to(channelsLast));
    expect(expected.shape).toEqual([2, 5, 4, 3]);
    expect(found.sub(expected).abs().amax().toNumber()).toBeLessThan(1e-5);
  });
});

describe('space to depth', () => {
  test.each(['contiguous', 'channelsLast'] as const)(
    'orders channels by row, column, channel (%s)',
    (memoryFormat) => {
      const x = arange(0, 2 * 4 * 4)
        .view([1, 2, 4, 4])
        .to({ memoryFormat });
      const y = new SpaceToDepth(2).forward(x);
      expect(y.shape).toEqual([1, 8, 2, 2]);
      // Channel 2·(2·row + column) + c of the square at (1, 0) is pixel (2 + row, column) of channel c.
      const expected = [0, 1].flatMap((row) =>
        [0, 1].flatMap((column) => [0, 1].map((c) => 16 * c + 4 * (2 + row) + column)),
      );
      expect(y.at(0, slice(0, 8), 1, 0).toArray()).toEqual(expected);
    },
  );

  test('refuses sizes that it does not divide', () => {
    expect(() => new SpaceToDepth(4).forward(zeros([1, 3, 30, 32]))).toThrow(/4 must divide the height 30/);
  });
});

test('squeeze-excite equals its two 1x1 convolutions', () => {
  const layer = new SqueezeExcite(6, { hidden: 4, activation: 'silu' });
  const x = randn([2, 6, 3, 3]);
  const hidden = nn.functional.silu(layer.fc1.forward(x.mean([2, 3], true)));
  const expected = x.mul(layer.fc2.forward(hidden).sigmoid());
  expect(layer.forward(x).sub(expected).abs().amax().toNumber()).toBeLessThan(1e-6);
});

describe('relative attention', () => {
  test('equal offsets share a bias, whatever the pixels', () => {
    const attention = new RelativeAttention(32, { headWidth: 32, side: 3 });
    const index = attention.relativePositionIndex.toArray() as bigint[][];
    expect(index[0]![4]).toBe(index[4]![8]); // one down, one right
    expect(index[1]![3]).not.toBe(index[3]![1]);
    expect(new Set(index.flat()).size).toBe(25);
  });

  test('equals softmax(q kᵀ / √width + bias) v computed by hand', () => {
    const [width, side] = [64, 2];
    const attention = new RelativeAttention(width, { headWidth: 32, side });
    const x = randn([3, 4, width]);
    const [q, k, v] = attention.toQkv.forward(x).view([3, 4, 3, 2, 32]).permute([2, 0, 3, 1, 4]).unbind(0);
    const bias = attention.relativePositionBiasTable
      .index([attention.relativePositionIndex])
      .permute([2, 0, 1]);
    const scores = q!.matmul(k!.transpose(-2, -1)).div(Math.sqrt(width)).add(bias).softmax(-1);
    const expected = attention.merge.forward(scores.matmul(v!).transpose(1, 2).reshape([3, 4, width]));
    expect(attention.forward(x).sub(expected).abs().amax().toNumber()).toBeLessThan(1e-5);
  });
});

describe('partition attention lets a pixel see', () => {
  test.each([
    ['window', (row: number, column: number) => Math.floor(row / 2) === 0 && Math.floor(column / 2) === 1],
    ['grid', (row: number, column: number) => row % 3 === 1 && column % 3 === 0],
  ] as const)('the pixels of its %s and no others', (axis, isSeen) => {
    const layer = new PartitionAttention(32, { axis, partitionSize: 2, stochasticDepth: 0 });
    const x = randn([1, 32, 6, 6], { requiresGrad: true });
    const y = layer.forward(x);
    expect(y.shape).toEqual(x.shape);
    y.at(0, '...', 1, 3).square().sum().backward();
    const reached = x.grad!.abs().sum([0, 1]).toArray() as number[][];
    reached.forEach((columns, row) => {
      columns.forEach((size, column) => {
        expect([row, column, size > 0]).toEqual([row, column, isSeen(row, column)]);
      });
    });
  });
});

test('expert heads equal a stack of linear layers for each class', () => {
  const heads = new ExpertHeads(10, 3).eval();
  const features = randn([4, 10]);
  const expert = (j: number): Tensor => {
    let x = features;
    heads.weights.forEach((weight, i) => {
      x = nn.functional.linear(
        i === 0 ? x : x.relu(),
        weight.select(0, j),
        heads.biases[i]!.select(0, j).flatten(),
      );
    });
    return x.flatten();
  };
  const found = heads.forward(features);
  expect(found.shape).toEqual([4, 3]);
  for (const j of [0, 1, 2]) {
    expect(found.select(1, j).sub(expert(j)).abs().amax().toNumber()).toBeLessThan(1e-5);
  }
});
