import { spawnSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import {
  full,
  liveTensors,
  loadTensors,
  nn,
  noGrad,
  randn,
  saveTensors,
  setSeed,
  type Tensor,
  tensor,
  tidy,
  zeros,
} from '@anyclass/torch';
import { describe, expect, test } from 'vitest';
import { testFolder } from '../../../files/test/testFolder.js';
import { quickNetwork } from '../../test/quickNetwork.js';
import { UserError } from '../errors/userError.js';
import { exportTimm } from '../export/timm.js';
import { exportTorchvision } from '../export/torchvision.js';
import type { NetworkName, NetworkOptions } from '../networks/catalog.js';
import { createNetwork } from '../networks/createNetwork.js';
import { headNames } from '../networks/layers/classHead.js';
import type { Network } from '../networks/network.js';
import type { HeatMap, HeatMapMethod, Target } from './heatMap.js';
import { peakPlace } from './heatMap.js';
import { heatMaps } from './heatMaps.js';
import { attentionsAmongAll } from './tokenRelevance.js';

const folder = testFolder();

/** A network with a head that says something: fresh ones may start from zeros. */
function drawn(name: NetworkName, options: Partial<NetworkOptions> = {}): Network {
  setSeed(3);
  const network = quickNetwork(name, { classes: 3, inputSize: 64, channels: 1, ...options }).eval();
  for (const [entry, parameter] of network.namedParameters())
    if (entry.startsWith(network.headPrefix)) noGrad(() => void nn.init.normal_(parameter, 0, 0.2));
  return network;
}

const images = () => {
  setSeed(5);
  return randn([2, 1, 64, 64]);
};

function mapsOf(network: Network, targets: readonly Target[], method?: HeatMapMethod | 'auto'): HeatMap[] {
  using pictures = images();
  return heatMaps(network, pictures, targets, { method });
}

const small: readonly (readonly [NetworkName, Partial<NetworkOptions>, HeatMapMethod])[] = [
  ['tresnet-s', {}, 'cam'],
  ['resnet-18', {}, 'cam'],
  ['swin-t', {}, 'cam'],
  ['maxvit-t', { partitionSize: 2 }, 'grad-cam'],
  ['convnext-t', {}, 'grad-cam'],
  ['vit-s-16', { patchSize: 16 }, 'tokens'],
  ['dinov3-s-16', { patchSize: 16 }, 'tokens'],
];

test.each(small)(
  '%s has maps for classes and presence by every method that it can have',
  (name, options, auto) => {
    const network = drawn(name, options);
    for (const method of ['auto', 'grad-cam', 'layer-cam'] as const) {
      const maps = mapsOf(network, [1, 'presence'], method);
      expect(maps).toHaveLength(2);
      for (const { method: used, rows, columns, values } of maps) {
        expect(used).toBe(method === 'auto' ? auto : method);
        expect(values).toHaveLength(rows * columns);
        expect(values.every((value) => value >= 0 && Number.isFinite(value))).toBe(true);
      }
      const left = () => {
        const before = liveTensors();
        mapsOf(network, [1, 'presence'], method);
        return liveTensors() - before;
      };
      // Tensors of other tests may be collected meanwhile, but not every time.
      expect(left() === 0 || left() === 0 || left() === 0).toBe(true);
    }
    expect(network.parameters().every(({ requiresGrad }) => requiresGrad)).toBe(true);
    network.dispose();
  },
);

test.each(headNames)('head %s has maps', (head) => {
  for (const [name, options] of [
    ['tresnet-s', {}],
    ['vit-s-16', { patchSize: 16 }],
  ] as const) {
    const network = drawn(name, { ...options, head });
    const [map] = mapsOf(network, [0, 0]);
    expect(map?.values.length).toBeGreaterThanOrEqual(4);
    network.dispose();
  }
});

test('class activation and the bias add up to the logit, and Grad-CAM is the same map', () => {
  const network = drawn('tresnet-s');
  using pictures = images();
  const { layer, logits } = tidy(() => ({
    layer: network.stateDict().get('head.fc.bias')!.toFloat32Array(),
    logits: noGrad(() => network.forward(pictures)).toFloat32Array(),
  }));
  // Both signs: evidence against a class is cut off, so its logit comes from the map of the opposite class.
  const positive = heatMaps(network, pictures, [2, 2], { method: 'cam' });
  const weights = network.parameters().find(({ shape }) => shape.length === 2 && shape[0] === 3)!;
  noGrad(() => void weights.mul_(-1));
  const negative = heatMaps(network, pictures, [2, 2], { method: 'cam' });
  noGrad(() => void weights.mul_(-1));
  for (const i of [0, 1]) {
    const cells = positive[i]!.values.map((value, at) => value - negative[i]!.values[at]!);
    const mean = cells.reduce((sum, value) => sum + value, 0) / cells.length;
    expect(mean + layer[2]!).toBeCloseTo(logits[3 * i + 2]!, 5);
  }
  const [grad] = heatMaps(network, pictures, [2, 2], { method: 'grad-cam' });
  for (const [at, value] of positive[0]!.values.entries()) {
    expect(grad!.values[at]! * grad!.values.length).toBeCloseTo(value, 5);
  }
  network.dispose();
});

test('a network that averages mirror images has symmetric maps for symmetric images', () => {
  const network = drawn('tresnet-s', { mirror: true });
  using pictures = tidy(() => {
    const half = images();
    return half.add(half.flip([3]));
  });
  const [map] = heatMaps(network, pictures, [0, 0], { method: 'layer-cam' });
  for (const [at, value] of map!.values.entries()) {
    const [row, column] = [Math.floor(at / map!.columns), at % map!.columns];
    expect(map!.values[row * map!.columns + map!.columns - 1 - column]).toBeCloseTo(value, 6);
  }
  network.dispose();
});

test('occlusion finds the only place that a score depends on', () => {
  const network = drawn('tresnet-s');
  const forward = network.forward;
  // A network that looks at one pixel.
  network.forward = (x: Tensor) =>
    x
      .select(2, 50)
      .select(2, 12)
      .mul(full([1, 3], 10));
  using bright = full([1, 1, 64, 64], 1);
  const [map] = heatMaps(network, bright, [1], { method: 'occlusion', cells: 8 });
  network.forward = forward;
  const place = peakPlace(map!)!;
  expect(Math.abs(place.y * 64 - 50)).toBeLessThan(9);
  expect(Math.abs(place.x * 64 - 12)).toBeLessThan(9);
  expect(map!.values[7]).toBe(0);
  network.dispose();
});

// Adebayo et al., "Sanity Checks for Saliency Maps", arXiv 1810.03292: a map that stays the same when weights are drawn anew explains
// the image, not the model. bench/explain does this with trained networks.
test.each([
  ['tresnet-s', 'cam', {}],
  ['vit-s-16', 'tokens', { patchSize: 8 }],
  ['vit-s-16', 'grad-cam', { patchSize: 8 }],
] as const)('randomization: maps of %s by %s follow the head', (name, method, options) => {
  const network = drawn(name, options);
  const maps = () => mapsOf(network, [0, 0], method);
  const before = maps();
  expect(correlation(before[0]!, maps()[0]!)).toBeCloseTo(1, 6);
  const found = Array.from({ length: 5 }, () => {
    for (const [entry, parameter] of network.namedParameters())
      if (entry.startsWith(network.headPrefix)) noGrad(() => void nn.init.normal_(parameter, 0, 0.2));
    return maps().map((map, i) => correlation(before[i]!, map));
  }).flat();
  expect(found.reduce((sum, value) => sum + value, 0) / found.length).toBeLessThan(0.8);
  network.dispose();
});

test('what a network cannot have is refused with what to use', () => {
  const network = drawn('resnet-18', { head: 'gem' });
  expect(() => mapsOf(network, [0, 0], 'cam')).toThrow(UserError);
  expect(() => mapsOf(network, [0, 0], 'tokens')).toThrow(/grad-cam/);
  expect(() => mapsOf(network, [0, 7])).toThrow(/7/);
  network.dispose();
  const rows = createNetwork('linear', { classes: 2, inputSize: 4 }).eval();
  using features = randn([1, 4]);
  expect(() => heatMaps(rows, features, [0])).toThrow(/features/);
  rows.dispose();
});

const python = process.env['PEER_PYTHON'] ?? 'python3';
const search =
  'from importlib.util import find_spec as f; assert f("timm") and f("torchvision") and f("safetensors")';
const hasPeers = spawnSync(python, ['-c', search]).status === 0;
const script = resolve(import.meta.dirname, '../../../../bench/explain/peer.py');

describe.skipIf(!hasPeers)('beside hooks in PyTorch (needs timm in PEER_PYTHON or python3)', () => {
  test.each([
    ['resnet-18', 'timm', {}, ['gradCam']],
    ['vit-s-16', 'timm', { patchSize: 16 }, ['gradCam', 'tokens']],
    ['tresnet-m', 'timm', { inputSize: 128 }, ['gradCam']],
    ['convnext-t', 'timm', {}, ['gradCam']],
    ['densenet-121', 'timm', {}, ['gradCam']],
    ['swin-t', 'timm', {}, ['gradCam']],
    ['mobilenetv3-l', 'torchvision', {}, ['gradCam']],
    ['efficientnetv2-s', 'torchvision', {}, ['gradCam']],
    ['maxvit-t', 'torchvision', { inputSize: 224 }, ['gradCam']],
  ] as const)(
    '%s of %s',
    (name, library, options, kinds) => {
      const network = drawn(name, { channels: 3, ...options });
      const { inputSize } = network.options;
      const export_ = join(folder, name);
      const description = {
        classes: ['a', 'b', 'c'],
        channels: 3 as const,
        mean: [0, 0, 0],
        std: [1, 1, 1],
        epoch: 1,
        loss: 'bce',
        dataset: 'none',
      };
      (library === 'timm' ? exportTimm : exportTorchvision)({ network, description }, export_);
      setSeed(9);
      using pictures = randn([3, 3, inputSize, inputSize]);
      using targets = tensor([0, 2, -1], { dtype: 'int64' });
      const input = join(folder, `${name}-images.safetensors`);
      const output = join(folder, `${name}-maps.safetensors`);
      saveTensors(input, Object.entries({ images: pictures, targets }));
      const { status, stderr } = spawnSync(python, [script, library, export_, input, output], {
        encoding: 'utf8',
      });
      expect(status, stderr).toBe(0);
      const { tensors: peer } = loadTensors(output);
      for (const kind of kinds) {
        const expected = peer.get(kind)!.toFloat32Array();
        const own = heatMaps(network, pictures, [0, 2, 'presence'], {
          method: kind === 'tokens' ? 'tokens' : 'grad-cam',
        }).flatMap(({ values }) => [...values]);
        const most = Math.max(...expected);
        expect(most).toBeGreaterThan(0);
        for (const [i, value] of expected.entries())
          expect(Math.abs(own[i]! - value)).toBeLessThan(1e-4 * most);
      }
      network.dispose();
    },
    120_000,
  );
});

function correlation(a: HeatMap, b: HeatMap): number {
  const centered = ({ values }: HeatMap) => {
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
    return values.map((value) => value - mean);
  };
  const [x, y] = [centered(a), centered(b)];
  const product = (p: Float32Array, q: Float32Array) => p.reduce((sum, value, i) => sum + value * q[i]!, 0);
  return product(x, y) / Math.sqrt(product(x, x) * product(y, y) || 1);
}

test('relevance does not follow windows of an earlier stage that have as many tokens', () => {
  const shapes = [
    [2, 48, 49, 49],
    [2, 24, 49, 49],
    [2, 24, 49, 49],
  ];
  const attentions = shapes.map((shape) => zeros(shape));
  expect(attentionsAmongAll(attentions, [2, 49])).toEqual(attentions.slice(1));
  expect(attentionsAmongAll(attentions, [2, 196])).toEqual([]);
  expect(attentionsAmongAll([], [2, 49])).toEqual([]);
});
