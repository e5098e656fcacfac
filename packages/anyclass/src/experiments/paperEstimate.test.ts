import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { testFolder } from '../../../files/test/testFolder.js';
import { assumedRate, runSeconds } from '../configuration/expectedTime.js';
import { validateConfiguration } from '../configuration/validate.js';
import { textTable } from '../tables/index.js';
import { cacheBytes, runBytes } from './paperEstimate.js';
import { estimatePlan } from './paperEstimatePlan.js';
import { estimateTable, timeText } from './paperEstimateTable.js';
import { planRuns } from './plan.js';

const folder = testFolder();

const sewerml = { classes: 17, train: 1_040_129, validation: 130_046, test: 0 };

describe('time', () => {
  test('TResNet-L takes 3 hours for SewerML on an H200', () => {
    const rate = assumedRate({ name: 'tresnet-l', inputSize: 224 }, 17, 'gpu');
    expect(rate).toBe(4055);
    expect(runSeconds(40, sewerml, rate) / 3600).toBeCloseTo(2.97, 2);
  });

  test('a quarter of the pixels is four times as fast, and twice the cores are twice as fast', () => {
    const network = { name: 'resnet-18', inputSize: 224 } as const;
    const whole = assumedRate(network, 5, 'cpu', 2);
    expect(assumedRate({ ...network, inputSize: 112 }, 5, 'cpu', 2)).toBeCloseTo(4 * whole, 9);
    expect(assumedRate(network, 5, 'cpu', 4)).toBeCloseTo(2 * whole, 9);
    expect(assumedRate(network, 5, 'gpu')).toBeGreaterThan(whole);
  });

  test('zero epochs take no time, more epochs take longer, and twice the rate takes half the time', () => {
    const size = fc.record({
      classes: fc.constant(3),
      train: fc.nat(1e6),
      validation: fc.nat(1e5),
      test: fc.nat(1e5),
    });
    fc.assert(
      fc.property(size, fc.integer({ min: 1, max: 100 }), (images, epochs) => {
        expect(runSeconds(0, images, 10)).toBe(0);
        expect(runSeconds(epochs + 1, images, 10)).toBeGreaterThanOrEqual(runSeconds(epochs, images, 10));
        expect(runSeconds(epochs, images, 20)).toBeCloseTo(runSeconds(epochs, images, 10) / 2, 6);
      }),
    );
  });

  test.each([
    [12.2, '13 s'],
    [150, '3 min'],
    [16_000, '4.4 h'],
    [864_000, '10.0 days'],
  ])('%d s reads %s', (seconds, text) => {
    expect(timeText(seconds)).toBe(text);
  });
});

describe('disk', () => {
  test('AdamW stores two numbers with each weight, SGD one', () => {
    const bytes = (name: 'sgd' | 'adamw') =>
      runBytes(
        validateConfiguration({
          data: { dataset: 'digits' },
          network: { name: 'resnet-18' },
          optimizer: { name },
          checkpoints: { keep: 1, best: ['mAP'] },
        }),
        { ...sewerml, validation: 0 },
      );
    const weights = 4 * (11_176_512 + 17 * 513);
    expect(bytes('sgd')).toBe(weights * (2 + 2));
    expect(bytes('adamw')).toBe(weights * (3 + 2));
  });

  test('a cache stores every pixel once', () => {
    expect(cacheBytes(10, 224, 3)).toBe(10 * 224 * 224 * 3);
  });
});

test('only the training images of a subset count', async () => {
  const out = join(folder, 'subset');
  const scenes = { train: 600, validation: 30, test: 30 };
  const plan = await planRuns({
    config: 'quick',
    set: { 'data.digits': { scenes }, device: 'cpu', 'data.subset.instances': 50 },
    seeds: [1],
    out,
  });
  expect((await estimatePlan(plan, { out })).rows[0]?.images).toBe(50);
});

test('an estimate covers the remaining work, at the measured rate', async () => {
  const out = join(folder, 'out');
  const plan = await planRuns({
    config: 'quick',
    set: {
      'data.digits': { scenes: { train: 600, validation: 30, test: 30 } },
      epochs: 4,
      device: 'cpu',
    },
    losses: [{ name: 'bce' }, { name: 'any-bce' }],
    seeds: [1],
    out,
  });
  const before = await estimatePlan(plan, { out });
  expect(before).toMatchObject({ isOnGpu: false, devices: ['cpu'] });
  expect(before.rows).toMatchObject([
    { dataset: 'digits', network: 'tresnet-s', runs: 2, finished: 0, images: 600, isMeasured: false },
  ]);
  expect(textTable(estimateTable(before, 'Plan'))).toMatch(/~[\d,]+ .*\n\nAbout .* on the CPU\.\n~: /);

  const record = (epoch: number) => JSON.stringify({ epoch, imagesPerSecond: 100, validation: {} });
  mkdirSync(plan[0]!.folder, { recursive: true });
  writeFileSync(join(plan[0]!.folder, 'metrics.jsonl'), [1, 2, 3].map(record).join('\n'));
  const after = await estimatePlan(plan, { out });
  expect(after.rows[0]).toMatchObject({ imagesPerSecond: 100, isMeasured: true });
  // One epoch of the first run and four of the second: 610 images each, plus 20 to evaluate each run.
  expect(after.seconds).toBeCloseTo((5 * 610 + 2 * 20) / 100, 9);
  expect(after.bytes).toBe(before.bytes);
  const spread = await estimatePlan(plan, { out, devices: ['cpu', 'cpu'] });
  // At least the time of the longer run.
  expect(spread.seconds).toBeCloseTo((4 * 610 + 20) / 100, 9);
});
