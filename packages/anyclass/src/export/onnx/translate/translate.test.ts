import {
  cat,
  einsum,
  nn,
  noGrad,
  ones,
  randn,
  slice,
  stack,
  type Tensor,
  tensor,
  where,
  zeros,
} from '@anyclass/torch';
import { describe, expect, test } from 'vitest';
import { graphBytes, onnxBytes, runOnnx, runTorch } from '../../../../test/onnxFunction.js';
import { BatchMultiple } from '../graph/trace.js';
import { exportableOperators, translate } from './translate.js';

const { functional: F } = nn;
const channelWeights = randn([6]).abs();
const linear = new nn.Linear(8, 5);
const bareLinear = new nn.Linear(8, 5, { bias: false });
const group = randn([2, 6]);
const table = randn([10, 4]);
const attention = new nn.MultiheadAttention(8, 2).eval();

/** Functions of images [batch, 6, 8, 8] by the operator that they test. */
const cases: Readonly<Record<string, (x: Tensor) => Tensor>> = {
  abs: (x) => x.abs(),
  atan: (x) => x.atan(),
  ceil: (x) => x.ceil(),
  cos: (x) => x.cos(),
  erf: (x) => x.erf(),
  exp: (x) => x.exp(),
  floor: (x) => x.floor(),
  log: (x) => x.abs().add(0.1).log(),
  logical_not: (x) => x.gt(0).logicalNot(),
  isnan: (x) => x.log().isnan(),
  neg: (x) => x.neg(),
  reciprocal: (x) => x.abs().add(1).reciprocal(),
  relu: (x) => x.mul(2).relu_(),
  round: (x) => x.mul(3).round(),
  sigmoid: (x) => x.sigmoid(),
  sign: (x) => x.sign(),
  sin: (x) => x.sin(),
  sqrt: (x) => x.abs().sqrt(),
  tanh: (x) => x.tanh(),
  rsqrt: (x) => x.abs().add(1).rsqrt(),
  square: (x) => x.square(),
  add: (x) => x.add(x.mul(2), { alpha: 3 }).add_(1.5),
  sub: (x) => x.sub(ones([8]), { alpha: 0.5 }).sub(2),
  mul: (x) => x.mul(x).mul(-3),
  div: (x) => x.div(x.abs().add(1)).div(7),
  maximum: (x) => x.maximum(zeros([1])),
  minimum: (x) => x.minimum(x.neg()),
  eq: (x) => x.relu().eq(0),
  ne: (x) => x.relu().ne(0),
  lt: (x) => x.lt(x.neg()),
  le: (x) => x.le(0.2),
  gt: (x) => x.gt(0.2),
  ge: (x) => x.ge(x.neg()),
  logical_and: (x) => x.gt(0).logicalAnd(x.lt(1)),
  logical_or: (x) => x.gt(1).logicalOr(x.lt(-1)),
  logical_xor: (x) => x.gt(0).logicalXor(x.lt(1)),
  pow: (x) => x.pow(2),
  addcmul: (x) => x.addcmul(x, x.neg(), { value: 0.5 }),
  where: (x) => where(x.gt(0), x, x.mul(0.1)),
  masked_fill: (x) => x.maskedFill(x.gt(1), 1),
  clamp: (x) => x.clamp(-0.5, 0.5).clamp(-0.2),
  elu: (x) => F.elu(x, 0.7),
  leaky_relu: (x) => F.leakyRelu(x, 0.3),
  hardsigmoid: (x) => F.hardsigmoid(x),
  hardswish: (x) => F.hardswish(x),
  silu: (x) => F.silu(x),
  gelu: (x) => F.gelu(x).add(F.gelu(x, { approximate: 'tanh' })),
  softplus: (x) => F.softplus(x),
  log_sigmoid: (x) => F.logSigmoid(x),
  softmax: (x) => F.softmax(x, 1),
  log_softmax: (x) => F.logSoftmax(x, -1),
  dropout: (x) => F.dropout(x, 0.5, false),

  clone: (x) => x.clone().relu_(),
  contiguous: (x) => x.transpose(1, 2).contiguous(),
  detach: (x) => x.detach(),
  view: (x) => x.view([x.shape[0]!, 6, 64]).view([-1, 64]),
  view_as: (x) => x.viewAs(x.view([-1, 6, 8, 8])),
  reshape: (x) => x.transpose(1, 3).reshape([x.shape[0]! * 2, -1]),
  flatten: (x) => x.flatten(1),
  unsqueeze: (x) => x.unsqueeze(-1),
  squeeze: (x) => x.narrow(1, 2, 1).squeeze(1),
  to: (x) => x.gt(0).to('float32'),
  type_as: (x) => x.gt(0).typeAs(x),
  permute: (x) => x.permute([0, -1, 1, 2]),
  transpose: (x) => x.transpose(-1, 1),
  expand: (x) => x.narrow(1, 0, 1).expand([x.shape[0]!, 6, 8, 8]),
  expand_as: (x) => x.narrow(3, 0, 1).expandAs(x),
  copy: (x) => zeros([x.shape[0]!, 6, 8, 8]).copy_(x.narrow(1, 0, 1)),
  repeat: (x) => x.repeat([1, 2, 1, 3]),
  cat: (x) => cat([x, x.mul(2), zeros([x.shape[0]!, 1, 8, 8])], 1),
  stack: (x) => stack([x, x.mul(2)], 2),
  chunk: (x) => cat(x.chunk(3, 1).reverse(), 1),
  split: (x) => cat(x.split([1, 2, 5], -1).reverse(), 3),
  unbind: (x) => x.unbind(1)[4]!,
  select: (x) => x.select(1, -1),
  narrow: (x) => x.narrow(2, 3, 4),
  slice: (x) => x.at('...', slice(1, 7, 2)),
  roll: (x) => x.roll([-3, 2], [2, -1]),
  flip: (x) => x.flip([1, 3]),
  index_select: (x) => x.indexSelect(1, tensor([5n, 0n, 5n])),
  embedding: (x) => F.embedding(table, x.abs().clamp(0, 9).floor().to('int64')),
  pixel_shuffle: (x) => F.pixelShuffle(x.narrow(1, 0, 4), 2),
  pixel_unshuffle: (x) => F.pixelUnshuffle(x, 2),

  matmul: (x) => x.matmul(x.transpose(2, 3)),
  mm: (x) => x.view([-1, 8]).mm(randomMatrix),
  bmm: (x) => x.view([-1, 8, 8]).bmm(x.view([-1, 8, 8])),
  addmm: (x) => channelWeights.narrow(0, 0, 3).addmm(x.view([-1, 8]), randomMatrix, { beta: 2, alpha: 0.5 }),
  einsum: (x) => einsum('bchw,gc->bghw', [x, group]),
  linear: (x) => cat([linear.forward(x), bareLinear.forward(x)], -1),
  scaled_dot_product_attention: (x) => attention.forward(x.view([-1, 48, 8])),

  conv2d: (x) => F.conv2d(x, kernel, channelWeights, [2, 1], [1, 0], 1, 3),
  max_pool2d: (x) => F.maxPool2d(x, 3, 2, 1, 1, true),
  avg_pool2d: (x) => F.avgPool2d(x, 3, 2, 0, true),
  adaptive_avg_pool2d: (x) => F.adaptiveAvgPool2d(x, [4, 2]),
  pad: (x) => F.pad(F.pad(x, [1, 2, 0, 3]), [1, 1, 2, 0], 'reflect'),
  upsample_nearest2d: (x) => F.upsampleNearest2d(x, [16, 12]),
  upsample_bilinear2d: (x) => F.upsampleBilinear2d(x, [13, 5], false),
  upsample_bicubic2d: (x) => F.upsampleBicubic2d(x, [16, 16], true),

  mean: (x) => x.mean([2, 3]),
  amax: (x) => x.amax([1], true),
  amin: (x) => x.amin([-1]),
  logsumexp: (x) => x.logsumexp([1]),
  norm: (x) => x.norm(2, [1, 2], true).add(x.norm(1, [-1], true)),
  sum: (x) => x.sum([1, -1], true),
  batch_norm: (x) =>
    F.batchNorm(x, channelWeights, channelWeights, channelWeights, channelWeights, false, 0.1, 1e-5, false),
  layer_norm: (x) => F.layerNorm(x, [8, 8]),
  group_norm: (x) => F.groupNorm(x, 3, channelWeights, channelWeights.neg()),
};

const kernel = randn([6, 2, 3, 3]);
const randomMatrix = randn([8, 3]);

describe('onnxruntime computes what libtorch computes, for any number of images', () => {
  test.each(Object.entries(cases))('%s', async (_, compute) => {
    const model = noGrad(() => onnxBytes(compute, [6, 8, 8]));
    for (const batch of [1, 2, 5]) {
      const images = randn([batch, 6, 8, 8]);
      const expected = noGrad(() => runTorch(compute, images));
      const actual = await runOnnx(model, images);
      expect(actual.shape).toEqual(expected.shape);
      const largest = expected.values.reduce((most, value) => Math.max(most, Math.abs(value)), 1);
      const error = actual.values.reduce(
        (most, value, i) => Math.max(most, Math.abs(value - expected.values[i]!)),
        0,
      );
      expect(error).toBeLessThan(1e-5 * largest);
    }
  });
});

// Attention is one fused operator since libtorch 2.0; earlier versions record its parts.
test('fused attention, with a mask and a scale', async () => {
  const tensorOf = (id: number, constant?: Tensor) => ({
    id,
    dtype: 'float32' as const,
    shape: constant?.shape ?? [new BatchMultiple(1), 6, 8, 8],
    constant,
    name: undefined,
  });
  const mask = randn([1, 6, 8, 8]);
  const [input, output] = [tensorOf(0), tensorOf(1)];
  const values = { query: input, key: input, value: input, attn_mask: tensorOf(2, mask), scale: 0.3 };
  const call = { operator: 'scaled_dot_product_attention', layer: 'layer', values, results: [output] };
  const builder = translate({ input, calls: [call] }, 'x');
  const model = graphBytes({
    name: 'attention',
    inputs: [{ name: 'x', type: 'float32', shape: ['batch', 6, 8, 8] }],
    outputs: [{ name: builder.valueOf(output), type: 'float32', shape: ['batch', 6, 8, 8] }],
    nodes: builder.nodes,
    initializers: builder.initializers,
  });
  const images = randn([3, 6, 8, 8]);
  const expected = runTorch((x) => F.scaledDotProductAttention(x, x, x, { mask, scale: 0.3 }), images);
  const actual = await runOnnx(model, images);
  for (const [i, value] of actual.values.entries()) expect(value).toBeCloseTo(expected.values[i]!, 5);
});

test('every operator that has a translation is tested', () => {
  expect(Object.keys(cases).sort()).toEqual(exportableOperators);
});
