import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Tensor } from '@anyclass/torch';
import { beforeAll, expect, test, vi } from 'vitest';
import { testFolder } from '../../../files/test/testFolder.js';
import { tinyRun } from '../../test/tinyRun.js';
import type { ConfigurationInput } from '../configuration/schema.js';
import { validateConfiguration } from '../configuration/validate.js';
import type { RunEvent } from '../events/runEvent.js';
import { loadModel } from '../runs/modelFile.js';
import { openRun } from '../runs/runFolder.js';
import { readCheckpoint } from './checkpoint.js';
import { readConfiguration } from './readConfiguration.js';
import { resumeRun } from './resumeRun.js';
import { trainRun } from './trainRun.js';

const folder = testFolder();
const at = (...names: string[]) => join(folder, ...names);

const evaluation = { replicates: 0 };
const base: ConfigurationInput = { ...tinyRun, epochs: 1, evaluation };
/** Network and input size come from the weights. */
const tuned: ConfigurationInput = {
  ...tinyRun,
  network: { weights: at('base'), frozenEpochs: 1, trunkRate: 0.5 },
  averageDecay: 0.9,
  checkpoints: { keep: 9, keepFinished: true },
  evaluation,
};

beforeAll(async () => {
  await trainRun({ ...base, data: { ...base.data, mean: [0.25], std: [0.125] } }, { run: at('base') });
}, 60_000);

const checkpoint = (run: string, epoch: number) =>
  readCheckpoint(at(run, 'checkpoints', `epoch-000${epoch}-step-000000.safetensors`)).tensors;

/** Names of the entries that differ from the weights that training started from. */
function changed(tensors: ReadonlyMap<string, Tensor>): string[] {
  const { network } = loadModel(at('base'));
  return [...network.stateDict()]
    .filter(([name, tensor]) => !tensor.equal(tensors.get(`network.${name}`)!))
    .map(([name]) => name);
}

function hashOf(run: string): string {
  return ['model.safetensors', 'scores/test.csv', 'checkpoints/epoch-0002-step-000000.safetensors']
    .map((file) =>
      createHash('sha256')
        .update(readFileSync(at(run, file)))
        .digest('hex'),
    )
    .join(' ');
}

test('a frozen epoch changes only the last layer and no batch statistics; later epochs change everything', async () => {
  const notes: string[] = [];
  const onEvent = (event: RunEvent) => void (event.type === 'note' && notes.push(event.text));
  await trainRun(tuned, { run: at('whole'), onEvent });
  expect(changed(checkpoint('whole', 1))).toEqual(['head.fc.weight', 'head.fc.bias']);
  const later = changed(checkpoint('whole', 2));
  expect(later).toEqual(
    expect.arrayContaining(['body.conv1.0.weight', 'body.conv1.1.running_mean', 'head.fc.bias']),
  );
  expect(notes).toContainEqual(expect.stringMatching(/frozen for 1 epoch:/));
  expect(notes).toContainEqual(expect.stringMatching(/All layers train/));
}, 60_000);

test('network, input size, mean and deviation follow the weights, are recorded, and appear in a note', async () => {
  const { configuration } = openRun(at('whole')).record;
  expect(configuration.network).toMatchObject({ name: 'tresnet-s', inputSize: 16 });
  expect(configuration.data).toMatchObject({ mean: [0.25], std: [0.125] });
  expect(loadModel(at('whole')).description).toMatchObject({ mean: [0.25], std: [0.125] });
  const events = readFileSync(at('whole', 'events.jsonl'), 'utf8');
  expect(events).toMatch(/Images are preprocessed as for .*base: 16 px, mean \[0\.25\], std \[0\.125\]/);
}, 60_000);

test.each([
  ['frozen', 1],
  ['whole', 2],
])(
  'a run interrupted in the %s epoch and resumed ends with the same bits',
  async (_, epoch) => {
    const run = `interrupted-${epoch}`;
    const controller = new AbortController();
    const onEvent = (event: RunEvent) => {
      if (event.type === 'step' && event.epoch === epoch && event.step === 2) controller.abort();
    };
    expect(
      (await trainRun(tuned, { run: at(run), onEvent, signal: controller.signal })).summary,
    ).toBeUndefined();
    await resumeRun(at(run));
    expect(hashOf(run)).toBe(hashOf('whole'));
  },
  60_000,
);

test('values that are set explicitly take precedence, and a note mentions the difference', async () => {
  const notes: string[] = [];
  const onEvent = (event: RunEvent) => void (event.type === 'note' && notes.push(event.text));
  const { data } = tuned;
  const told = {
    ...tuned,
    epochs: 1,
    data: { ...data, mean: [0.5] },
    network: { weights: at('base'), inputSize: 20 },
  };
  await trainRun(told, { run: at('told'), onEvent });
  const { configuration } = openRun(at('told')).record;
  expect(configuration).toMatchObject({ network: { inputSize: 20 }, data: { mean: [0.5], std: [0.125] } });
  expect(notes).toContainEqual(
    expect.stringMatching(
      /differently than for .*network\.inputSize 20 instead of 16, data\.mean \[0\.5\] instead of \[0\.25\]/,
    ),
  );
}, 60_000);

test('weights of a network other than network.name are refused, with what to set', async () => {
  const set = { 'network.weights': at('base') };
  expect((await readConfiguration('quick', { set })).network).toMatchObject({
    name: 'tresnet-s',
    inputSize: 16,
  });
  const wrong = readConfiguration('quick', { set: { ...set, 'network.name': 'resnet-18' } });
  await expect(wrong).rejects.toMatchObject({ setting: 'network.name=tresnet-s' });
  const published = readConfiguration('quick', { set: { 'network.weights': 'timm/resnet18.a1_in1k' } });
  await expect(published).rejects.toThrow(/timm\/resnet18\.a1_in1k.*resnet-18.*tresnet-s/);
});

test('the network and input size of published weights are known without a request', async () => {
  const fetching = vi.spyOn(globalThis, 'fetch');
  const file = at('published.json');
  const write = (weights: string) =>
    writeFileSync(file, JSON.stringify({ data: { dataset: 'digits' }, network: { weights } }));
  write('timm/tresnet_l.miil_in1k_448');
  expect((await readConfiguration(file)).network).toMatchObject({ name: 'tresnet-l', inputSize: 448 });
  write('torchvision/vit_b_16.imagenet1k_v1');
  expect((await readConfiguration(file)).network).toMatchObject({ name: 'vit-b-16', inputSize: 224 });
  write('timm/tresnet_l.miil_in1');
  await expect(readConfiguration(file)).rejects.toThrow(/did you mean 'timm\/tresnet_l\.miil_in1k'/);
  expect(fetching).not.toHaveBeenCalled();
  fetching.mockRestore();
});

test('frozen epochs and a permanently frozen trunk exclude each other', () => {
  const network = { freezeTrunk: true, frozenEpochs: 2 };
  expect(() => validateConfiguration({ data: { dataset: 'digits' }, network })).toThrow(
    /network\.frozenEpochs/,
  );
});
