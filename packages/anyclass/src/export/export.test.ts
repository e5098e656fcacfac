import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { noGrad, randn, readSafetensorsHeader, saveTensors, setSeed, tidy } from '@anyclass/torch';
import { afterEach, describe, expect, test } from 'vitest';
import { testFolder } from '../../../files/test/testFolder.js';
import { runProgram } from '../commandLine/program.js';
import { exportModel } from '../commands/export.js';
import type { NetworkOptions } from '../networks/catalog.js';
import { type NetworkName, networkDefinitions } from '../networks/catalog.js';
import { createNetwork } from '../networks/createNetwork.js';
import { loadWeights } from '../networks/weights/loadWeights.js';
import { matchNames } from '../networks/weights/matchNames.js';
import { type Model, saveModel } from '../runs/modelFile.js';
import { fillByHash } from '../verify/hashFill.js';
import { exportTimm } from './timm.js';
import { exportTorchvision } from './torchvision.js';

// PEER_PYTHON: a Python with timm and torchvision, if python3 does not have them.
const python = process.env['PEER_PYTHON'] ?? 'python3';
const peer = resolve(import.meta.dirname, '../../../../bench/fixtures/weights/export_peer.py');
// Only searched for, not imported: torchvision needs operators that the script declares first.
const search =
  'from importlib.util import find_spec as f; assert f("timm") and f("torchvision") and f("safetensors")';
const hasPeers = spawnSync(python, ['-c', search]).status === 0;

const folder = testFolder();
const at = (name: string) => join(folder, name);
const exported = at('exported');
afterEach(() => rmSync(exported, { recursive: true, force: true }));

const classes = ['crack', 'root', 'leak'];
type Options = Omit<NetworkOptions, 'classes'>;

/** Returns a model with varied weights but the original blur filters, which timm does not store. */
function model(name: NetworkName, options: Options = {}): Model {
  const complete = { classes: classes.length, inputSize: 32, ...options };
  const network = createNetwork(name, complete).eval();
  const filters = [...network.stateDict()].filter(([entry]) => entry.endsWith('.filt'));
  const values = filters.map(([entry, filter]) => [entry, filter.clone()] as const);
  fillByHash(network);
  const state = network.stateDict();
  for (const [entry, filter] of values) state.get(entry)!.copy_(filter);
  const description = {
    classes,
    channels: 3,
    mean: [0.1, 0.2, 0.3],
    std: [0.4, 0.5, 0.6],
    epoch: 1,
    loss: 'bce',
    dataset: 'x',
  } as const;
  return { network, description };
}

const patches8 = model('vit-b-16', { patchSize: 8 });

const libraries = { timm: exportTimm, torchvision: exportTorchvision } as const;
type Library = keyof typeof libraries;

const networks: [Library, NetworkName, Options][] = [
  ['timm', 'resnet-18', {}],
  ['timm', 'tresnet-m', {}],
  ['timm', 'vit-b-16', { patchSize: 8 }],
  ['torchvision', 'resnet-18', {}],
  ['torchvision', 'vit-b-16', {}],
  ['torchvision', 'maxvit-t', { inputSize: 224 }],
];

const configuration = () => JSON.parse(readFileSync(join(exported, 'config.json'), 'utf8'));

test.each(['resnet-18', 'tresnet-m'] as const)(
  'weights exported from %s for timm load into our own network again, entry for entry',
  (name) => {
    const source = model(name);
    exportTimm(source, exported);
    using copy = createNetwork(name, { classes: classes.length, inputSize: 32 }).eval();
    const report = loadWeights(copy, join(exported, 'model.safetensors'), { strict: true });
    expect(report).toMatchObject({ freshHead: [], missing: [], unused: [], misshapen: [] });
    const difference = tidy(() =>
      noGrad(() => {
        const images = randn([1, 3, 32, 32]);
        const logits = source.network.forward(images);
        return copy.forward(images).sub(logits).abs().amax().toNumber() / logits.abs().amax().toNumber();
      }),
    );
    expect(difference).toBeLessThan(1e-4);
    source.network.dispose();
  },
);

test("timm's folder describes architecture, arguments, labels and image preparation", () => {
  expect(exportTimm(patches8, exported)).toMatchObject({ architecture: 'vit_base_patch16_224' });
  expect(readdirSync(exported).sort()).toEqual(['config.json', 'model.safetensors']);
  expect(configuration()).toMatchObject({
    architecture: 'vit_base_patch16_224',
    num_classes: 3,
    label_names: classes,
    model_args: { img_size: 32, patch_size: 8 },
    pretrained_cfg: {
      input_size: [3, 32, 32],
      mean: [0.1, 0.2, 0.3],
      std: [0.4, 0.5, 0.6],
      classifier: 'head',
    },
  });
  // Read as one of timm's files, it has every entry of our network.
  const { conventions = [] } = networkDefinitions['vit-b-16'].weights;
  const foreign = [...readSafetensorsHeader(join(exported, 'model.safetensors')).entries.keys()];
  const own = new Set(patches8.network.stateDict().keys());
  const match = matchNames(conventions, foreign, own);
  expect(match).toMatchObject({ convention: { title: "timm's ViT names" }, unused: [] });
  expect(match.pairs.size).toBe(own.size);
});

test('gray statistics are repeated for three channels', () => {
  const { network, description } = model('resnet-18');
  exportTimm({ network, description: { ...description, channels: 1, mean: [0.5], std: [0.25] } }, exported);
  expect(configuration().pretrained_cfg).toMatchObject({ mean: [0.5, 0.5, 0.5], std: [0.25, 0.25, 0.25] });
  network.dispose();
});

test('the command writes the folder, and rejects options of other formats', async () => {
  const source = model('resnet-18');
  saveModel(at('model.safetensors'), source);
  source.network.dispose();
  const lines: string[] = [];
  const anyclass = (...words: string[]) =>
    runProgram([exportModel], ['export', at('model.safetensors'), '--out', exported, ...words], {
      print: (text) => void lines.push(text),
      note: (text) => void lines.push(text),
      onEvent: () => {},
    });
  expect([await anyclass('--format', 'timm', '--precision', 'int8'), lines.join('')]).toEqual([
    2,
    expect.stringContaining('--precision'),
  ]);
  lines.length = 0;
  expect([await anyclass('--format', 'timm'), lines.join('')]).toEqual([
    0,
    expect.stringContaining('resnet18'),
  ]);
  expect(readdirSync(exported).sort()).toEqual(['config.json', 'model.safetensors']);
});

describe('a network that the other library lacks is rejected, and nothing is written', () => {
  test.each([
    ['timm', 'tresnet-s', {}, /timm has no tresnet-s; it has tresnet-m/],
    ['torchvision', 'tresnet-s', {}, /torchvision has no tresnet-s; it has vit-b-16/],
    ['timm', 'resnet-18', { head: 'experts' }, /experts head/],
    ['timm', 'resnet-18', { mirror: true }, /cannot predict from an image and its mirror image/],
    ['torchvision', 'maxvit-t', { partitionSize: 1 }, /partitionSize 7; this network has 1/],
  ] as const)('%s, %s %j', (library, name, options, message) => {
    const source = model(name, options);
    expect(() => libraries[library](source, exported)).toThrow(message);
    expect(readdirSync(folder)).not.toContain('exported');
    source.network.dispose();
  });

  test('a ViT with a patch size that torchvision does not support', () => {
    expect(() => exportTorchvision(patches8, exported)).toThrow(/patchSize 16; this network has 8/);
  });

  test('a folder that is not empty is rejected too', () => {
    mkdirSync(exported);
    writeFileSync(join(exported, 'notes.txt'), 'mine');
    const source = model('resnet-18');
    expect(() => exportTimm(source, exported)).toThrow(/exported is not empty/);
    source.network.dispose();
  });
});

describe.skipIf(!hasPeers)('in Python (needs timm and torchvision in PEER_PYTHON or python3)', () => {
  test.each(networks)(
    '%s loads our %s and gives the same logits',
    (library, name, options) => {
      const source = model(name, options);
      libraries[library](source, exported);
      setSeed(1);
      const side = source.network.options.inputSize;
      const images = randn([2, 3, side, side]);
      saveTensors(at('images.safetensors'), [['images', images]]);
      const { stdout, stderr, status, signal } = spawnSync(
        python,
        [peer, library, exported, at('images.safetensors')],
        {
          encoding: 'utf8',
        },
      );
      expect({ status, signal, stderr }).toMatchObject({ status: 0, signal: null });
      const theirs = JSON.parse(stdout);
      const ours = tidy(() =>
        noGrad(() => Array.from(source.network.forward(images).toTypedArray(), Number)),
      );
      const largest = Math.max(...ours.map(Math.abs));
      ours.forEach((logit, i) => {
        expect(Math.abs(logit - theirs.logits[i]) / largest, `logit ${i}`).toBeLessThan(1e-4);
      });
      if (library === 'timm') expect(theirs).toMatchObject({ mean: [0.1, 0.2, 0.3], labels: classes });
      source.network.dispose();
      images.dispose();
    },
    300_000,
  );
});
