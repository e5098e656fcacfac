import { noGrad, ones, randn, setSeed, type Tensor, tensor, tidy } from '@anyclass/torch';
import { InferenceSession, Tensor as OnnxTensor } from 'onnxruntime-node';
import { expect, test } from 'vitest';
import { varied } from '../../../../../bench/export/exactness.js';
import { graphBytes } from '../../../test/onnxFunction.js';
import { quickNetwork } from '../../../test/quickNetwork.js';
import { heatMaps } from '../../explain/heatMaps.js';
import { networkGraph } from '../../export/onnx/networkGraph.js';
import { isFeatureNetwork, type NetworkName, networkNames } from '../catalog.js';
import { createNetwork } from '../createNetwork.js';
import { foldBatchNorm } from '../foldBatchNorm.js';
import { type HeadName, headNames } from './classHead.js';
import { GeneralizedMean, ResidualAttention } from './mapHeads.js';
import { MlDecoder } from './mlDecoder.js';

// Every head on two trunks, and one on each other family; TEST_HEADS=all tries all on all, which takes several minutes.
const few: readonly (readonly [NetworkName, HeadName])[] = [
  ...headNames.map((head) => ['tresnet-s', head] as const),
  ...headNames.map((head) => ['mobilenetv3-l', head] as const),
  ['resnet-18', 'gem'],
  ['densenet-121', 'csra'],
  ['efficientnetv2-s', 'experts'],
  ['convnextv2-t', 'ml-decoder'],
  ['swin-t', 'csra'],
  ['maxvit-t', 'gem'],
  ['dinov2-s-14-reg', 'csra'],
  ['dinov3-s-16', 'ml-decoder'],
];
const pairs =
  process.env['TEST_HEADS'] === 'all'
    ? networkNames
        .filter((name) => !isFeatureNetwork(name))
        .flatMap((name) => headNames.map((head) => [name, head] as const))
    : few;

test.each(pairs)(
  '%s with head %s learns all of it, folds, gives the same logits in ONNX, and has heat maps',
  async (name, head) => {
    setSeed(2);
    const side = name.startsWith('dinov2') ? 56 : 64;
    const partitions = name.startsWith('maxvit') ? { partitionSize: 2 } : {};
    using network = varied(quickNetwork(name, { classes: 7, inputSize: side, head, ...partitions }));
    tidy(() => {
      network
        .train()
        .forward(randn([2, 3, side, side]))
        .sub(1)
        .square()
        .sum()
        .backward();
    });
    const unreached = [...network.namedParameters()].filter(([, { grad }]) => grad === null);
    expect(unreached.map(([parameter]) => parameter)).toEqual([]);
    const own = [...network.stateDict().keys()].filter((entry) => entry.startsWith(network.headPrefix));
    expect(own.length).toBeGreaterThan(0);
    using folded = foldBatchNorm(network);
    using exported = networkGraph(folded, { inputShape: folded.inputShape });
    using images = randn([3, 3, side, side]);
    const expected = noGrad(() => tidy(() => network.eval().forward(images).toFloat32Array()));
    const session = await InferenceSession.create(graphBytes(exported.graph), { intraOpNumThreads: 1 });
    const input = new OnnxTensor('float32', images.toFloat32Array(), [...images.shape]);
    const { logits } = await session.run({ pixel_values: input });
    await session.release();
    const values = Array.from(logits!.data, Number);
    const largest = Math.max(...expected.map(Math.abs));
    for (const [i, value] of expected.entries())
      expect(Math.abs(values[i]! - value)).toBeLessThan(1e-4 * largest);
    // Where all evidence is against a class, Grad-CAM is zero; LayerCAM looks at each place alone.
    const maps = (['auto', 'layer-cam'] as const).flatMap((method) =>
      heatMaps(network, images, [0, 6, 'presence'], { method }),
    );
    expect(maps).toHaveLength(6);
    for (const map of maps) {
      expect(map.values).toHaveLength(map.rows * map.columns);
      expect(map.values.every((value) => value >= 0 && Number.isFinite(value))).toBe(true);
    }
    expect(maps.some((map) => map.values.some((value) => value > 0))).toBe(true);
  },
  60_000,
);

test('heads also work on tokens, whose first have no place in the image', () => {
  for (const head of headNames) {
    using network = createNetwork('vit-s-16', { classes: 4, inputSize: 32, head }).eval();
    expect(tidy(() => noGrad(() => network.forward(randn([2, 3, 32, 32])).shape))).toEqual([2, 4]);
  }
});

test('feature vectors have no maps for a head to look at', () => {
  expect(() => createNetwork('mlp', { classes: 2, inputSize: 5, head: 'csra' })).toThrow(/mlp: head is csra/);
});

test('the generalized mean is the average for p = 1 and nears the maximum as p grows', () => {
  const head = new GeneralizedMean(1, 1);
  const maps = tensor([
    [
      [
        [1, 2],
        [3, 6],
      ],
    ],
  ]);
  const pooled = (p: number) =>
    tidy(() =>
      noGrad(() => {
        head.p.fill_(p);
        head.fc.weight.fill_(1);
        head.fc.bias!.fill_(0);
        return head.forward(maps).at(0, 0).toNumber();
      }),
    );
  expect(pooled(1)).toBeCloseTo(3, 5);
  // (1 + 8 + 27 + 216) / 4 = 63
  expect(pooled(3)).toBeCloseTo(63 ** (1 / 3), 4);
  expect(pooled(40)).toBeCloseTo(6 * 0.25 ** (1 / 40), 3);
});

test('residual attention adds a tenth of the softmax-weighted score to the mean score', () => {
  const head = new ResidualAttention(1, 1);
  noGrad(() => void head.head.weight.fill_(5));
  // Scores are the cells themselves, because the weight's length does not count.
  const [a, b] = [1, 3];
  const weighted = (a * Math.exp(a) + b * Math.exp(b)) / (Math.exp(a) + Math.exp(b));
  const logit = tidy(() =>
    noGrad(() =>
      head
        .forward(tensor([[[[a, b]]]]))
        .at(0, 0)
        .toNumber(),
    ),
  );
  expect(logit).toBeCloseTo(2 + 0.1 * weighted, 5);
});

test('ML-Decoder decodes a thousand classes in a hundred groups', () => {
  const head = new MlDecoder(8, 1003).eval();
  expect(head.duplicatePooling.shape).toEqual([100, 768, 11]);
  const logits = (maps: Tensor) => tidy(() => noGrad(() => head.forward(maps)));
  expect(logits(ones([2, 8, 3, 3])).shape).toEqual([2, 1003]);
});
