import { autocast, type Dtype, keep, nn, noGrad, randn, type Tensor } from '@anyclass/torch';
import { expect, test } from 'vitest';
import { expectClose } from '../../../test/closeTensors.js';
import { channelsLast, describeOnCuda, expectSameBits, outputAndGradients } from '../../../test/onCuda.js';
import { quickNetwork } from '../../../test/quickNetwork.js';
import { createNetwork } from '../createNetwork.js';
import { relativeBias } from './relativeAttention.js';
import { cutIntoSquares, joinSquares } from './squares.js';
import { WindowAttention, type WindowAttentionOptions } from './windowAttention.js';

const device = 'cuda';
const channels = 64;
const kinds = [
  { kind: 'windows that lie in the map as they are', window: 7, shift: 0, mapSide: 21, headWidth: 32 },
  { kind: 'shifted windows', window: 4, shift: 2, mapSide: 12, headWidth: 16 },
  { kind: 'shifted windows, two in a row', window: 7, shift: 3, mapSide: 14, headWidth: 32 },
] as const;

test.each(kinds)('$kind of a map equal attention in the windows of a rolled map', (options) => {
  const attention = newAttention(options).to('float64');
  const { x, dy } = problem(options, 'float64');
  const parameters = attention.parameters();
  const expected = outputAndGradients((map) => inRolledWindows(attention, map, options), {
    x,
    dy,
    parameters,
  });
  for (const forward of [
    (map: Tensor) => attention.forward(map),
    (map: Tensor) => inSquares(attention, map),
  ]) {
    outputAndGradients(forward, { x, dy, parameters }).forEach((found, i) => {
      expectClose(found, expected[i]!, 1e-12, `result ${i}`);
    });
  }
  const cut = cutIntoSquares(x, attention.squares!);
  expect(attention.multiplyAdds(cut)).toBe(attention.multiplyAdds(x));
});

test('maps that must be padded are not cut before', () => {
  expect(newAttention({ ...kinds[0], mapSide: 20 }).squares).toBe(undefined);
  expect(newAttention({ ...kinds[1], mapSide: 13 }).squares).toBe(undefined);
});

describeOnCuda('attention in windows', () => {
  const precisions = [
    { dtype: 'float32', tolerance: 1e-5 },
    { dtype: 'bfloat16', tolerance: 2 ** -5 },
    { dtype: 'float16', tolerance: 2 ** -8 },
  ] as const;
  const cases = kinds.flatMap((options) => precisions.map((precision) => ({ ...options, ...precision })));

  test.each(cases)('equals the composition in float64: $kind, $dtype', ({ dtype, tolerance, ...options }) => {
    const attention = newAttention(options).to({ device, dtype });
    const reference = newAttention(options).to({ device, dtype: 'float64' });
    reference.loadStateDict(attention.stateDict());
    const { x, dy } = problem(options, dtype);
    const results = (of: WindowAttention, type: Dtype) =>
      outputAndGradients((map) => inSquares(of, map), {
        x: x.to({ device, dtype: type }),
        dy: dy.to({ device, dtype: type }),
        parameters: of.parameters(),
      });
    const expected = results(reference, 'float64');
    results(attention, dtype).forEach((found, i) => {
      expectClose(found, expected[i]!, tolerance, `result ${i}`);
    });
    const withoutGradients = noGrad(() => inSquares(attention, x.to({ device, dtype })));
    expectClose(withoutGradients, expected[0]!, tolerance, 'without gradients');
  });

  test.each(kinds)('gives the same bits in every call, captured or not: $kind', (options) => {
    const attention = newAttention(options).to({ device, dtype: 'bfloat16' });
    const x = keep(problem(options, 'bfloat16').x.to(device));
    expectSameBits(() => [noGrad(() => inSquares(attention, x)), inSquares(attention, x).detach()]);
  });
});

describeOnCuda('a Swin', () => {
  // All windows lie in the maps at 224 px; at 112 px those of the last stage are padded.
  test.each([224, 112])('of %i px equals the composition in float64', (inputSize) => {
    const options = { classes: 5, inputSize, stochasticDepth: 0 };
    const network = quickNetwork('swin-t', options);
    noGrad(() => {
      for (const [entry, parameter] of network.namedParameters())
        if (entry.endsWith('bias_table')) parameter.copy_(randn(parameter.shape));
    });
    const reference = nn.init.withoutDrawing(() => createNetwork('swin-t', options));
    reference.loadStateDict(network.stateDict());
    network.to({ device, memoryFormat: 'channelsLast' });
    reference.to({ device, dtype: 'float64' });
    const x = randn([4, 3, inputSize, inputSize], { device }).to(channelsLast);
    const dy = randn([4, 5], { device });
    const results = (forward: (images: Tensor) => Tensor, of: nn.Module, dtype: Dtype) =>
      outputAndGradients(forward, { x: x.to(dtype), dy: dy.to(dtype), parameters: of.parameters() });
    const names = ['output', 'images', ...[...network.namedParameters()].map(([entry]) => entry)];
    const expected = results((images) => reference.forward(images), reference, 'float64');
    const check = (found: readonly Tensor[], least: number, title: string) =>
      found.forEach((result, i) => {
        const similarity = cosine(result.to('float64'), expected[i]!);
        expect(similarity, `${title}: ${names[i]}`).toBeGreaterThan(least);
      });
    const forward = (images: Tensor) => network.forward(images);
    check(results(forward, network, 'float32'), 0.99999, 'float32');
    const inHalf = (images: Tensor) => autocast(() => network.forward(images), { device }).to('float32');
    check(results(inHalf, network, 'float32'), 0.97, 'autocast');
    for (const module of [network, reference]) module.eval();
    network.to('bfloat16');
    check([noGrad(() => network.forward(x.to('bfloat16')))], 0.99, 'bfloat16');
  });
});

function newAttention(options: WindowAttentionOptions): WindowAttention {
  const attention = new WindowAttention(channels, options);
  noGrad(
    () => void attention.relativePositionBiasTable.copy_(randn(attention.relativePositionBiasTable.shape)),
  );
  return attention;
}

/** As a block does it: the map is cut before, and the tokens are brought back after. */
function inSquares(attention: WindowAttention, map: Tensor): Tensor {
  const squares = attention.squares!;
  return joinSquares(attention.forward(cutIntoSquares(map, squares)), map.shape, squares);
}

/** The formula of the paper, window by window. */
function inRolledWindows(
  { qkv, proj, relativePositionBiasTable, relativePositionIndex, regions }: WindowAttention,
  map: Tensor,
  { window, shift, headWidth }: WindowAttentionOptions,
): Tensor {
  const squares = { axis: 'window', side: window } as const;
  const x = cutIntoSquares(map.roll([-shift, -shift], [1, 2]), squares);
  const [windows = 0, length = 0] = x.shape;
  const heads = channels / headWidth;
  const [q, k, v] = qkv
    .forward(x)
    .view([windows, length, 3, heads, headWidth])
    .permute([2, 0, 3, 1, 4])
    .unbind(0);
  const scores = q!.matmul(k!.transpose(2, 3)).div(Math.sqrt(headWidth));
  const biased = scores.add(relativeBias(relativePositionBiasTable, relativePositionIndex));
  const apart = regions?.unsqueeze(1).ne(regions.unsqueeze(2)).unsqueeze(1);
  const masked = apart
    ? biased.sub(
        apart
          .to('float64')
          .mul(100)
          .repeat([windows / (regions!.shape[0] ?? 1), 1, 1, 1]),
      )
    : biased;
  const attended = masked.softmax(-1).matmul(v!).transpose(1, 2).reshape(x.shape);
  return joinSquares(proj.forward(attended), map.shape, squares).roll([shift, shift], [1, 2]);
}

function problem({ mapSide }: WindowAttentionOptions, dtype: Dtype): { x: Tensor; dy: Tensor } {
  const [x, dy] = [0, 1].map(() => randn([3, mapSide, mapSide, channels]).to('bfloat16').to(dtype));
  return { x: x!, dy: dy! };
}

function cosine(a: Tensor, b: Tensor): number {
  return a.mul(b).sum().div(a.square().sum().mul(b.square().sum()).sqrt()).toNumber();
}
