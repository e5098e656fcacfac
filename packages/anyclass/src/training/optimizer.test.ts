import { randn, tidy } from '@anyclass/torch';
import { expect, test } from 'vitest';
import { ratesOf } from '../configuration/optimizerDefaults.js';
import type { Settings } from '../configuration/overrides.js';
import { createNetwork } from '../networks/createNetwork.js';
import { createOptimizer, createSchedule, setTrainingMode, warmUpWarning } from './optimizer.js';
import { readConfiguration } from './readConfiguration.js';

async function ratesAt(recipe: string, epochs: readonly number[]): Promise<number[]> {
  const configuration = await readConfiguration(recipe, { dataset: 'digits' });
  const schedule = createSchedule(configuration);
  return epochs.map((epoch) => schedule(epoch, ratesOf(configuration.optimizer).rate));
}

test("the paper's rate for convolutional networks is multiplied by 0.01 after epochs 20 and 30", async () => {
  const rates = await ratesAt('paper/sewerml/tresnet-l', [0, 19, 20, 30]);
  [0.1, 0.1, 1e-3, 1e-5].forEach((rate, i) => {
    expect(rates[i]).toBeCloseTo(rate, 12);
  });
});

test("the paper's rate for transformers warms up over 5 epochs and restarts at 15, 35 and 75", async () => {
  const rates = await ratesAt('paper/coco-41/vit-b-16', [0, 5, 15, 35, 75, 14, 34]);
  [1e-5, 1e-3, 1e-3, 1e-3, 1e-3].forEach((rate, i) => {
    expect(rates[i]).toBeCloseTo(rate, 12);
  });
  expect(rates[5]).toBeLessThan(1e-4);
  expect(rates[6]).toBeLessThan(1e-4);
  const [first, full] = await ratesAt('paper/chestxray14/maxvit-s', [0, 5]);
  expect(first).toBeCloseTo(1e-5, 12);
  expect(full).toBeCloseTo(1e-4, 12);
});

test('a cosine by step goes down within an epoch, and warms up from the first step', async () => {
  const set = {
    epochs: 10,
    'schedule.warmUpEpochs': 2,
    'schedule.warmUpFactor': 0,
    'schedule.every': 'step',
  };
  const configuration = await readConfiguration('quick', { set });
  const schedule = createSchedule(configuration);
  expect([0, 0.5, 1.5, 2].map((epoch) => schedule(epoch, 1))).toEqual([0, 0.25, 0.75, 1]);
  expect(schedule(5, 1)).toBeCloseTo((1 + Math.cos((3 / 8) * Math.PI)) / 2, 12);
  expect(schedule(5.5, 1)).toBeCloseTo((1 + Math.cos((3.5 / 8) * Math.PI)) / 2, 12);
});

test('a warm-up by epoch that takes a tenth of the run or more is warned about', async () => {
  const warned = async (set: Settings) =>
    warmUpWarning(await readConfiguration('quick', { set: { 'schedule.every': 'epoch', ...set } })).length >
    0;
  expect(await warned({ epochs: 6 })).toBe(true);
  expect(await warned({ epochs: 6, 'schedule.every': 'step' })).toBe(false);
  expect(await warned({ epochs: 6, 'schedule.warmUpEpochs': 0 })).toBe(false);
  expect(await warned({ epochs: 90, 'schedule.warmUpEpochs': 5 })).toBe(false);
});

test('biases and norms may go without weight decay', async () => {
  const set = { 'optimizer.decayNorms': false, 'optimizer.weightDecay': 0.3, 'network.trunkRate': 0.5 };
  const configuration = await readConfiguration('quick', { set });
  using network = createNetwork('resnet-18', { classes: 3, inputSize: 32 });
  const { groups } = createOptimizer(network, configuration);
  expect(groups.map(({ lr, options, params }) => [lr, options['weightDecay'], params.length])).toEqual([
    [0.001, 0.3, 20],
    [0.001, 0, 40],
    [0.002, 0.3, 1],
    [0.002, 0, 1],
  ]);
});

test('rates of layers rise by equal ratios from the first to the last of the trunk', async () => {
  const set = { 'network.layerRate': 0.01, 'network.trunkRate': 0.5, 'optimizer.rate': 0.002 };
  const configuration = await readConfiguration('quick', { set });
  for (const name of ['resnet-18', 'tresnet-s'] as const) {
    using network = createNetwork(name, { classes: 3, inputSize: 32 });
    const { groups } = createOptimizer(network, configuration);
    const rates = groups.map(({ lr }) => lr);
    expect(rates[0]).toBeCloseTo(1e-5, 12);
    expect(rates.slice(-2)).toEqual([0.001, 0.002]);
    const ratios = rates.slice(1, -1).map((rate, i) => rate / rates[i]!);
    for (const ratio of ratios) expect(ratio).toBeCloseTo(100 ** (1 / 11), 9);
    // Every parameter once, in order, and none of the trunk in the last layer's group.
    const all = [...network.namedParameters()];
    expect(groups.reduce((sum, { params }) => sum + params.length, 0)).toBe(all.length);
    expect(groups[0]!.params[0]).toBe(all[0]![1]);
    expect(groups.at(-1)!.params.length).toBe(
      all.filter(([key]) => key.startsWith(network.headPrefix)).length,
    );
  }
});

test('the trunk may train at a fraction of the rate of the last layer', async () => {
  const configuration = await readConfiguration('quick', { set: { 'network.trunkRate': 0.1 } });
  using network = createNetwork('resnet-18', { classes: 3, inputSize: 32 });
  const { groups } = createOptimizer(network, configuration);
  expect(groups.map(({ lr, params }) => [lr, params.length])).toEqual([
    [0.0002, 60],
    [0.002, 2],
  ]);
});

test('frozen stages keep their weights and batch statistics, and are not in the optimizer', async () => {
  const set = { 'network.name': 'resnet-18', 'network.inputSize': 32, 'network.frozenStages': 2 };
  const configuration = await readConfiguration('quick', { set });
  using network = createNetwork('resnet-18', { classes: 3, inputSize: 32 });
  const before = new Map([...network.stateDict()].map(([name, values]) => [name, values.clone()]));
  const optimizer = createOptimizer(network, configuration);
  setTrainingMode(network, 'everything', 2);
  tidy(() => {
    network
      .forward(randn([4, 3, 32, 32]))
      .square()
      .sum()
      .backward();
    optimizer.step();
  });
  const still = [...network.stateDict()]
    .filter(([name, values]) => values.equal(before.get(name)!) && !name.endsWith('num_batches_tracked'))
    .map(([name]) => name);
  expect(still.length).toBeGreaterThan(20);
  expect(still.every((name) => /^(conv1|bn1|layer1)\./.test(name))).toBe(true);
  expect(
    [...network.stateDict().keys()].filter((name) =>
      /^(conv1|bn1|layer1)\..*(weight|bias|mean|var)$/.test(name),
    ),
  ).toEqual(still);
  expect(() => setTrainingMode(network, 'everything', 9)).toThrow('resnet-18 has 5 with its stem');
});
