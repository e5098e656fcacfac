import { copyFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import {
  cat,
  noGrad,
  randn,
  readSafetensorsHeader,
  saveTensors,
  type Tensor,
  tensor,
  tidy,
  zeros,
} from '@anyclass/torch';
import { describe, expect, test } from 'vitest';
import { testFolder } from '../../../../files/test/testFolder.js';
import { fillByHash } from '../../verify/hashFill.js';
import { networkDefinitions } from '../catalog.js';
import { createNetwork } from '../createNetwork.js';
import { resizeGrid } from '../layers/resizeGrid.js';
import type { Network } from '../network.js';
import { loadWeights, refuseOtherNetwork, weightReportText } from './loadWeights.js';
import { matchNames } from './matchNames.js';
import { saveWeights } from './saveWeights.js';

const folder = testFolder();
const vitConventions = networkDefinitions['vit-b-16'].weights.conventions ?? [];
const small = { classes: 5, inputSize: 64 } as const;

function filled(): Network {
  const network = createNetwork('tresnet-s', small);
  fillByHash(network);
  return network;
}

function saved(name: string, tensors: Iterable<readonly [string, Tensor]>): string {
  const file = path.join(folder, `${name}.safetensors`);
  saveTensors(file, tensors);
  return file;
}

function expectEqual(found: Network, expected: Network, except = /^$/): void {
  const state = found.stateDict();
  for (const [name, tensor] of expected.stateDict()) {
    if (!except.test(name)) expect([name, state.get(name)?.equal(tensor)]).toEqual([name, true]);
  }
}

test('weights round-trip through a safetensors file bit for bit, along with their network', () => {
  const file = path.join(folder, 'whole.safetensors');
  const network = filled();
  saveWeights(network, file, { note: 'a test' });
  const copy = createNetwork('tresnet-s', small);
  const report = loadWeights(copy, file, { strict: true });
  expect(report).toMatchObject({ loaded: network.stateDict().size, freshHead: [], missing: [], unused: [] });
  expectEqual(copy, network);
  const { metadata } = readSafetensorsHeader(file);
  expect(metadata).toMatchObject({ network: 'tresnet-s', note: 'a test' });
  expect(JSON.parse(metadata['networkOptions'] ?? '')).toMatchObject(small);
});

test('a file with weights that are NaN or infinite is refused, and the tensor is named', () => {
  const network = filled();
  const [name, tensor] = [...network.stateDict()].find(([entry]) => entry.endsWith('.weight'))!;
  noGrad(() => tensor.fill_(Number.NaN));
  const file = saved('broken', network.stateDict());
  expect(() => loadWeights(createNetwork('tresnet-s', small), file)).toThrow(`NaN or infinite: ${name};`);
});

test('a common prefix is found and removed, and other names are reported', () => {
  const network = filled();
  const entries = Array.from(network.stateDict(), ([name, tensor]) => [`model.net.${name}`, tensor] as const);
  const file = saved('prefixed', [...entries, ['criterion.weight', zeros([3])]]);
  const copy = createNetwork('tresnet-s', small);
  const report = loadWeights(copy, file);
  expect(report).toMatchObject({ prefix: 'model.net.', unused: ['criterion.weight'], missing: [] });
  expectEqual(copy, network);
  expect(weightReportText(report)).toContain("after 'model.net.'");
  expect(() => loadWeights(copy, file, { strict: true })).toThrow(/criterion\.weight/);
});

test('with another number of classes, the last layer is reinitialized, and the report says so', () => {
  const network = filled();
  const file = saved('classes', network.stateDict());
  const copy = createNetwork('tresnet-s', { ...small, classes: 7 });
  const fresh = copy.stateDict().get('head.fc.weight')!.clone();
  const report = loadWeights(copy, file, { strict: true });
  expect(report.freshHead).toEqual(['head.fc.weight', 'head.fc.bias']);
  expect(copy.stateDict().get('head.fc.weight')!.equal(fresh)).toBe(true);
  expectEqual(copy, network, /^head\./);
  expect(weightReportText(report)).toContain('last layer reinitialized');
});

test('a file for another network of the family is refused where training starts from it', () => {
  using larger = createNetwork('resnet-34', { classes: 5, inputSize: 32 });
  const file = saved('resnet-34', larger.stateDict());
  using smaller = createNetwork('resnet-18', { classes: 5, inputSize: 32 });
  const shallow = loadWeights(smaller, file);
  expect(shallow.share).toBe(1);
  expect(() => refuseOtherNetwork(smaller, shallow)).toThrow(
    /is for a deeper network than resnet-18, which ends before layer1\.2\./,
  );
  using network = createNetwork('resnet-50', { classes: 5, inputSize: 32 });
  const report = loadWeights(network, file);
  expect(report.share).toBeLessThan(0.9);
  expect(() => refuseOtherNetwork(network, report)).toThrow(/has only \d+% of the weights of resnet-50/);
  expect(() => refuseOtherNetwork(larger, loadWeights(larger, file))).not.toThrow();
});

test('a checkpoint without weights is named', () => {
  const file = path.join(folder, 'nothing.pth');
  copyFileSync(
    path.resolve(import.meta.dirname, '../../../../torch/test/fixtures/checkpoints/scalars_113.pt'),
    file,
  );
  expect(() => loadWeights(createNetwork('tresnet-s', small), file)).toThrow(/nothing\.pth: no state dict/);
});

test('a file that needs another option of the network is refused with it', () => {
  using network = createNetwork('efficientnetv2-s', { classes: 5, inputSize: 32 });
  const file = saved('tensorflow', [['conv_stem.weight', zeros([24, 3, 3, 3])]]);
  expect(() => loadWeights(network, file)).toThrow(/network\.padding 'tensorflow'; this one has 'symmetric'/);
});

test('a bias is not loaded without its weight: a head for other features is reinitialized as a whole', () => {
  const network = filled();
  const state = new Map<string, Tensor>(network.stateDict());
  state.set('head.fc.weight', zeros([5, 2048]));
  const copy = createNetwork('tresnet-s', small);
  const fresh = copy.stateDict().get('head.fc.bias')!.clone();
  const report = loadWeights(copy, saved('features', state));
  expect(report.freshHead).toEqual(['head.fc.weight', 'head.fc.bias']);
  expect(copy.stateDict().get('head.fc.bias')!.equal(fresh)).toBe(true);
});

test('weights that are spread over files are read through their index, and a missing one is named', () => {
  const network = filled();
  const entries = [...network.stateDict()];
  const half = entries.length >> 1;
  const shards = [saved('shard-1', entries.slice(0, half)), saved('shard-2', entries.slice(half))];
  const map = entries.map(([name], i) => [name, path.basename(shards[i < half ? 0 : 1]!)]);
  const index = path.join(folder, 'model.safetensors.index.json');
  const write = (weights: readonly (readonly string[])[]) =>
    writeFileSync(index, JSON.stringify({ metadata: {}, weight_map: Object.fromEntries(weights) }));
  write(map);
  const copy = createNetwork('tresnet-s', small);
  expect(loadWeights(copy, index, { strict: true })).toMatchObject({ missing: [], unused: [] });
  expectEqual(copy, network);
  write([...map, ['another.weight', 'shard-1.safetensors']]);
  expect(() => loadWeights(copy, index)).toThrow(/shard-1\.safetensors does not have another\.weight/);
  write([['another.weight', '../shard-1.safetensors']]);
  expect(() => loadWeights(copy, index)).toThrow(/expected a file beside it/);
  write([['another.weight', 'shard-3.safetensors']]);
  expect(() => loadWeights(copy, index)).toThrow(/shard-3\.safetensors/);
});

test('a file without blur filters and batch counts loads with their defaults; other gaps are named', () => {
  const network = filled();
  const lacking = /filt$|num_batches_tracked$|body\.conv1\.1\.bias/;
  const file = saved(
    'gaps',
    [...network.stateDict()].filter(([name]) => !lacking.test(name)),
  );
  const copy = createNetwork('tresnet-s', small);
  const report = loadWeights(copy, file);
  expect(report.missing).toEqual(['body.conv1.1.bias']);
  expect(copy.stateDict().get('body.layer2.0.conv1.1.op.filt')!.sum().toNumber()).toBeCloseTo(64, 4);
});

test('a file of another network is refused, with some of its names', () => {
  const file = saved('foreign', [['stages.0.blocks.0.conv', zeros([1])]]);
  expect(() => loadWeights(createNetwork('tresnet-s', small), file)).toThrow(
    /foreign\.safetensors: none of its 1 names matches tresnet-s, such as stages\.0\.blocks\.0\.conv/,
  );
});

test('an entry of another shape is left as initialized and named with both shapes', () => {
  const state = new Map<string, Tensor>(filled().stateDict());
  state.set('body.conv1.0.weight', zeros([32, 48, 3, 3]));
  const report = loadWeights(createNetwork('tresnet-s', small), saved('shapes', state));
  expect(report.misshapen).toEqual(['body.conv1.0.weight [32, 48, 3, 3] instead of [32, 12, 3, 3]']);
});

describe("timm's names", () => {
  test('of a TResNet, whose norms store |weight| + eps, give the same logits', () => {
    const network = filled();
    const entries = [...network.stateDict()]
      .filter(([name]) => !name.endsWith('filt'))
      .map(([name, tensor]) => {
        const foreign = name
          .replace(/(conv\d)\.0\.([01])\./, '$1.$2.')
          .replace(/(conv\d|downsample\.1)\.0\./, '$1.conv.')
          .replace(/(conv\d|downsample\.1)\.1\./, '$1.bn.');
        return [foreign, foreign.endsWith('bn.weight') ? tensor.detach().abs().add(1e-5) : tensor] as const;
      });
    expect(entries.map(([name]) => name)).toContain('body.layer2.0.conv1.bn.running_mean');
    const copy = createNetwork('tresnet-s', small);
    const report = loadWeights(copy, saved('timm', entries));
    expect(report).toMatchObject({ naming: "timm's TResNet names", missing: [], unused: [], misshapen: [] });
    const filters = /filt$/;
    for (const [name, tensor] of network.stateDict())
      if (filters.test(name)) copy.stateDict().get(name)!.copy_(tensor);
    tidy(() =>
      noGrad(() => {
        const images = randn([1, 3, 64, 64]);
        const difference = copy.eval().forward(images).sub(network.eval().forward(images)).abs().amax();
        expect(difference.toNumber()).toBeLessThan(1e-4);
      }),
    );
  });

  test('of a ViT map to ours one to one', () => {
    const own = createNetwork('vit-s-16', { classes: 2, inputSize: 32 }).stateDict();
    const foreign = [...own.keys()].map((name) =>
      name
        .replace('class_token', 'cls_token')
        .replace('encoder.pos_embedding', 'pos_embed')
        .replace('conv_proj.', 'patch_embed.proj.')
        .replace('encoder.ln.', 'norm.')
        .replace('heads.head.', 'head.')
        .replace(/encoder\.layers\.encoder_layer_(\d+)\./, 'blocks.$1.')
        .replace(/\.ln_([12])\./, '.norm$1.')
        .replace('.self_attention.in_proj_', '.attn.qkv.')
        .replace('.self_attention.out_proj.', '.attn.proj.')
        .replace('.mlp.0.', '.mlp.fc1.')
        .replace('.mlp.3.', '.mlp.fc2.'),
    );
    const match = matchNames(vitConventions, foreign, new Set(own.keys()));
    expect(match).toMatchObject({ prefix: '', unused: [] });
    expect([...match.pairs.keys()].sort()).toEqual([...own.keys()].sort());
    expect(match.pairs.get('encoder.layers.encoder_layer_11.self_attention.in_proj_weight')).toBe(
      'blocks.11.attn.qkv.weight',
    );
  });
});

test("torchvision's older ViT names for the MLP are understood", () => {
  const own = new Set([
    'class_token',
    'encoder.layers.encoder_layer_3.mlp.0.bias',
    'encoder.layers.encoder_layer_3.mlp.3.bias',
  ]);
  const match = matchNames(
    vitConventions,
    [
      'class_token',
      'encoder.layers.encoder_layer_3.mlp.linear_1.bias',
      'encoder.layers.encoder_layer_3.mlp.linear_2.bias',
    ],
    own,
  );
  expect([...match.pairs.keys()]).toEqual([...own]);
});

test('positions on a grid are interpolated with aligned corners, and the class token does not change', () => {
  // Bicubic interpolation preserves a plane.
  const plane = (side: number) => (_: unknown, i: number) => [
    Math.floor(i / side) / (side - 1),
    (i % side) / (side - 1),
  ];
  const positions = [[7, 8], ...Array.from({ length: 49 }, plane(7))];
  const resized = resizeGrid(tensor(positions), { cells: 16, extra: 1 }).toArray() as number[][];
  expect(resized[0]).toEqual([7, 8]);
  expect([resized[1], resized[4], resized[16]]).toEqual([
    [expect.closeTo(0, 5), expect.closeTo(0, 5)],
    [expect.closeTo(0, 5), expect.closeTo(1, 5)],
    [expect.closeTo(1, 5), expect.closeTo(1, 5)],
  ]);
  expect(() => resizeGrid(zeros([10, 2]), { cells: 16 })).toThrow(
    '10 and 16 cells are not both square grids',
  );
});

test.each([
  ['gray', 1, 3],
  ['five bands', 5, 3],
  ['RGB from gray weights', 3, 1],
] as const)('the first convolution is adapted to other channels: %s', (_, channels, from) => {
  const source = createNetwork('tresnet-s', { ...small, channels: from });
  fillByHash(source);
  const copy = createNetwork('tresnet-s', { ...small, channels });
  const report = loadWeights(copy, saved('channels', source.stateDict()), { strict: true });
  expect(report.adapted).toEqual(['body.conv1.0.weight']);
  expect(weightReportText(report)).toContain('channels: body.conv1.0.weight');
  // An image whose channels are all alike gives the same logits, since responses keep their size.
  tidy(() =>
    noGrad(() => {
      const plane = randn([1, 1, 64, 64]);
      const [expected, found] = [source, copy].map((network) =>
        network.eval().forward(plane.expand([1, network.options.channels, 64, 64])),
      );
      const isAlike = channels <= 3;
      if (isAlike) expect(found!.sub(expected!).abs().amax().toNumber()).toBeLessThan(1e-4);
      const [own, theirs] = [copy, source].map((network) => network.stateDict().get('body.conv1.0.weight')!);
      // Input 3 of the first square is channel 3 of five, which is the file's channel 0 again.
      if (channels === 5)
        expect(own!.select(1, 3).sub(theirs!.select(1, 0).mul(0.6)).abs().amax().toNumber()).toBeLessThan(
          1e-7,
        );
    }),
  );
});

test('a ViT loads weights of another input size, with its positions interpolated', () => {
  const source = createNetwork('vit-s-16', { classes: 2, inputSize: 64 });
  const copy = createNetwork('vit-s-16', { classes: 2, inputSize: 96 });
  const report = loadWeights(copy, saved('positions', source.stateDict()), { strict: true });
  expect(report.resized).toEqual(['encoder.pos_embedding']);
  const [from, to] = [source, copy].map((network) => network.stateDict().get('encoder.pos_embedding')!);
  expect(to!.at(0, 1).equal(from!.at(0, 1))).toBe(true);
  expect(to!.at(0, 36).sub(from!.at(0, 16)).abs().amax().toNumber()).toBeLessThan(1e-5);
});

test('a MaxViT loads weights of another partition size, with its position biases interpolated', () => {
  const source = createNetwork('maxvit-t', { classes: 2, inputSize: 64, partitionSize: 2 });
  const copy = createNetwork('maxvit-t', { classes: 2, inputSize: 64, partitionSize: 1 });
  const report = loadWeights(copy, saved('partitions', source.stateDict()), { strict: true });
  // Two attentions in each of the 11 layers; their indices are computed from the partition size.
  expect(report.resized.length).toBe(22);
  expect(report.resized.every((name) => name.endsWith('.relative_position_bias_table'))).toBe(true);
});

test("the authors' files of DINOv2 with registers have a position for the class token, which becomes part of it", () => {
  const source = createNetwork('dinov2-s-14-reg', { classes: 2, inputSize: 28 });
  fillByHash(source);
  const position = randn([1, 1, 384]);
  const file = saved(
    'authors',
    renamed(source).map(([name, values]) => {
      if (name === 'cls_token') return [name, values.detach().sub(position)] as const;
      return [name, name === 'pos_embed' ? cat([position, values.detach()], 1) : values] as const;
    }),
  );
  const copy = createNetwork('dinov2-s-14-reg', { classes: 2, inputSize: 28 });
  expect(loadWeights(copy, file, { strict: true })).toMatchObject({ resized: [], freshHead: [] });
  expectEqual(copy, source, /^class_token$/);
  const [found, expected] = [copy, source].map((network) => network.stateDict().get('class_token')!);
  expect(found!.sub(expected!).abs().amax().toNumber()).toBeLessThan(1e-6);
});

test("the authors' files of DINOv3 load, whatever stands in the bias of the keys, which is never used", () => {
  const source = createNetwork('dinov3-s-plus-16', { classes: 2, inputSize: 32 });
  fillByHash(source);
  const file = saved(
    'dinov3',
    renamed(source)
      .filter(([name]) => !isComputed(name))
      .map(([name, values]) => [
        name
          .replace('reg_token', 'storage_tokens')
          .replace('gate_proj', 'w1')
          .replace('up_proj', 'w2')
          .replace('down_proj', 'w3'),
        values,
      ]),
  );
  const copy = createNetwork('dinov3-s-plus-16', { classes: 2, inputSize: 32 });
  loadWeights(copy, file, { strict: true });
  expectEqual(copy, source, /in_proj_bias|sine$/);
  for (const [name, values] of copy.stateDict()) {
    if (isComputed(name)) source.stateDict().get(name)!.copy_(values);
  }
  const images = randn([1, 3, 32, 32]);
  const [found, expected] = [copy, source].map((network) => noGrad(() => network.eval().forward(images)));
  expect(found!.equal(expected!)).toBe(true);
});

/** Returns the entries of a vision transformer with the names that timm shares with the authors. */
function renamed(network: Network): (readonly [string, Tensor])[] {
  const rename = networkDefinitions['dinov2-s-14-reg'].weights.timm?.rename;
  return [...network.stateDict()].map(([name, values]) => [rename?.(name) ?? name, values]);
}

function isComputed(name: string): boolean {
  return networkDefinitions['dinov3-s-16'].weights.isComputed?.(name) ?? false;
}

describe("Hugging Face's names", () => {
  const own = 'encoder.layers.encoder_layer_0.self_attention';

  test.each([
    ['vit-s-16', 'vit.encoder.layer.0.attention.attention.query.weight', `${own}.in_proj_weight#0/3`],
    ['vit-s-16', 'vit.layers.0.attention.v_proj.bias', `${own}.in_proj_bias#2/3`],
    ['vit-s-16', 'vit.layers.0.attention.o_proj.weight', `${own}.out_proj.weight`],
    ['dinov2-s-14-reg', 'encoder.layer.0.layer_scale1.lambda1', 'encoder.layers.encoder_layer_0.ls_1.gamma'],
    ['dinov3-s-plus-16', 'model.layer.0.mlp.up_proj.bias', 'encoder.layers.encoder_layer_0.mlp.up_proj.bias'],
    ['dinov3-s-16', 'layer.0.mlp.up_proj.bias', 'encoder.layers.encoder_layer_0.mlp.0.bias'],
    ['convnext-t', 'model.stages.0.downsample_layers.1.bias', 'stem.1.bias'],
    ['convnext-t', 'model.stages.2.layers.8.pointwise_conv2.bias', 'stages.2.blocks.8.mlp.fc2.bias'],
    ['convnextv2-t', 'convnextv2.encoder.stages.0.layers.0.grn.weight', 'stages.0.blocks.0.mlp.grn.weight'],
    [
      'swin-t',
      'swin.encoder.layers.0.blocks.1.attention.self.relative_position_bias_table',
      'layers.0.blocks.1.attn.relative_position_bias_table',
    ],
    [
      'swin-t',
      'swin.encoder.layers.0.blocks.1.attention.k_proj.weight',
      'layers.0.blocks.1.attn.qkv.weight#1/3',
    ],
    ['swin-t', 'swin.encoder.layers.0.downsample.reduction.weight', 'layers.1.downsample.reduction.weight'],
  ] as const)('of %s are understood: %s', (name, foreign, expected) => {
    const { conventions = [] } = networkDefinitions[name].weights;
    const found = conventions
      .filter(({ title }) => title.startsWith('Hugging Face'))
      .flatMap(({ translate }) => translate(foreign));
    expect(found).toContain(expected);
  });

  test('queries, keys and values that are stored apart are joined; keys need no bias', () => {
    const source = createNetwork('dinov3-s-16', { classes: 2, inputSize: 32 });
    fillByHash(source);
    const entries = [...source.stateDict()].flatMap(([name, values]): [string, Tensor][] => {
      if (isComputed(name)) return [];
      const [, block, kind] = /encoder_layer_(\d+)\.self_attention\.in_proj_(weight|bias)$/.exec(name) ?? [];
      const foreign = name
        .replace('class_token', 'embeddings.cls_token')
        .replace('register_tokens', 'embeddings.register_tokens')
        .replace('conv_proj', 'embeddings.patch_embeddings')
        .replace('encoder.ln', 'norm')
        .replace(/^encoder\.layers\.encoder_layer_(\d+)\.ln_/, 'layer.$1.norm')
        .replace(/^encoder\.layers\.encoder_layer_(\d+)\.ls_([12])\.gamma/, 'layer.$1.layer_scale$2.lambda1')
        .replace(
          /^encoder\.layers\.encoder_layer_(\d+)\.self_attention\.out_proj/,
          'layer.$1.attention.o_proj',
        )
        .replace(/^encoder\.layers\.encoder_layer_(\d+)\.mlp\.0/, 'layer.$1.mlp.up_proj')
        .replace(/^encoder\.layers\.encoder_layer_(\d+)\.mlp\.3/, 'layer.$1.mlp.down_proj');
      if (block === undefined) return [[foreign, values]];
      if (kind === 'bias') noGrad(() => void values.narrow(0, 384, 384).zero_());
      const parts = values
        .detach()
        .chunk(3)
        .map((part) => part.clone());
      return ['q', 'k', 'v'].flatMap((letter, i): [string, Tensor][] =>
        letter === 'k' && kind === 'bias'
          ? []
          : [[`layer.${block}.attention.${letter}_proj.${kind}`, parts[i]!]],
      );
    });
    const trunk = entries.filter(([name]) => !name.startsWith('heads.'));
    const copy = createNetwork('dinov3-s-16', { classes: 2, inputSize: 32 });
    const report = loadWeights(copy, saved('apart', trunk), { strict: true });
    expect(report.naming).toBe("Hugging Face's DINOv3 names");
    expectEqual(copy, source, /sine$|^heads|bias_mask$/);
  });
});
