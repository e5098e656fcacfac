import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fitDecision, measure } from '@anyclass/core';
import { setDeterministic } from '@anyclass/torch';
import { beforeAll, describe, expect, test } from 'vitest';
import { testFolder } from '../../../files/test/testFolder.js';
import { augmentedRun, tinyRun, tinyScenes } from '../../test/tinyRun.js';
import type { ConfigurationInput } from '../configuration/schema.js';
import { evaluate } from '../evaluation/evaluate.js';
import type { RunEvent } from '../events/runEvent.js';
import { modelDecision } from '../inference/modelDecision.js';
import { readEvents } from '../runs/eventLog.js';
import { readEpochs } from '../runs/metricsLog.js';
import { loadModel } from '../runs/modelFile.js';
import { runScores } from '../runs/runScores.js';
import { trainAndReport } from '../workflows/trainAndReport.js';
import type { TrainingResult } from './activeRun.js';
import { trainRun } from './trainRun.js';

const folder = testFolder();
const at = (...names: string[]) => join(folder, ...names);

const configuration = augmentedRun;

const notes: string[] = [];
const onEvent = (event: RunEvent) => {
  if (event.type === 'note') notes.push(event.text);
};

describe('a run', () => {
  let result: TrainingResult;
  beforeAll(async () => {
    result = await trainAndReport(configuration, { run: at('whole'), onEvent });
  }, 120_000);

  test('reports its start, steps, epochs, checkpoints and end, and writes them to events.jsonl', () => {
    const events = readEvents(at('whole', 'events.jsonl'));
    const types = events.map(({ type }) => type);
    expect(types[0]).toBe('started');
    const [started] = events;
    expect(started?.type === 'started' && started.expectedSeconds).toBeGreaterThan(0);
    expect(types.at(-1)).toBe('finished');
    expect(types.filter((type) => type === 'validated')).toHaveLength(2);
    expect(types.filter((type) => type === 'saved')).toHaveLength(2);
    const step = events.find((event) => event.type === 'step');
    expect(step).toMatchObject({ epoch: 1, epochs: 2, steps: 4, imagesPerEpoch: 32 });
    const records = events.flatMap((event) => (event.type === 'validated' ? [event.record] : []));
    expect(records).toEqual(readEpochs(at('whole', 'metrics.jsonl')));
    expect(events.at(-1)).toMatchObject({
      summary: JSON.parse(readFileSync(at('whole', 'summary.json'), 'utf8')),
    });
  });

  test('writes configuration, metrics, checkpoints, model, scores, summary and report', () => {
    expect(readdirSync(at('whole')).sort()).toEqual([
      'checkpoints',
      'config.json',
      'events.jsonl',
      'examples.json',
      'known-rows.csv',
      'metrics.jsonl',
      'model.safetensors',
      'report.html',
      'scores',
      'summary.json',
    ]);
    const record = JSON.parse(readFileSync(at('whole', 'config.json'), 'utf8'));
    expect(record).toMatchObject({
      configuration: { bestBy: 'mAP', seed: 0 },
      classes: ['3', '5', '7', '2', '8', '9'],
    });
    expect(record.datasetFingerprint).toMatch(/^[0-9a-f]{64}$/);
    expect(JSON.parse(readFileSync(at('whole', 'summary.json'), 'utf8'))).toEqual(
      JSON.parse(JSON.stringify(result.summary)),
    );
  });

  test('logs every epoch with all metrics, the loss and the plain cross-entropy', () => {
    const epochs = readEpochs(at('whole', 'metrics.jsonl'));
    expect(epochs.map(({ epoch }) => epoch)).toEqual([1, 2]);
    for (const { validation, validationBce, trainingLoss } of epochs) {
      expect(validation.rows).toBe(tinyScenes.validation);
      expect(validationBce).toBeGreaterThan(0);
      expect(trainingLoss).toBeGreaterThan(0);
    }
  });

  test('has metrics that can be recomputed from its saved scores', async () => {
    const test = await runScores(at('whole'), 'test');
    const { description } = loadModel(at('whole'));
    const { metrics, decided } = result.summary!.test!;
    expect(measure(test)).toEqual(metrics);
    // The best of two epochs was chosen on validation.
    const decision = fitDecision(await runScores(at('whole'), 'validation'), { candidates: 2 });
    expect(decision).toEqual(description.decision);
    expect(decided).toMatchObject({
      rule: 'gate',
      presence: decision.presence,
      thresholds: decision.thresholds,
    });
    expect(measure(test, { threshold: decision })).toEqual(decided?.metrics);
  });

  test('with damaged scores allows no new decision, not even one without metrics on test', async () => {
    const file = at('whole', 'scores', 'test.csv');
    const whole = readFileSync(file);
    const lastDigit = whole.at(-2) === 0x37 ? '8' : '7';
    writeFileSync(file, Buffer.concat([whole.subarray(0, -2), Buffer.from(`${lastDigit}\n`)]));
    try {
      const { description, network } = loadModel(at('whole'));
      network.dispose();
      const refitted = modelDecision(at('whole'), description, { rule: 'shared' });
      await expect(refitted).rejects.toMatchObject({ code: 'scores-damaged' });
    } finally {
      writeFileSync(file, whole);
    }
  });

  test('produces a model with its classes and decision, from the best epoch by mAP', () => {
    const { description, network } = loadModel(at('whole'));
    const epochs = readEpochs(at('whole', 'metrics.jsonl'));
    const best = epochs.toSorted((a, b) => b.validation.mAP! - a.validation.mAP!)[0]!;
    expect(description).toMatchObject({
      epoch: best.epoch,
      decision: { rule: 'gate', fittedOn: 'validation' },
    });
    expect(network.options.classes).toBe(6);
    expect(result.summary?.bestValue).toBe(best.validation.mAP);
  });

  test('has the same metrics in evaluate', async () => {
    const open = { digits: { scenes: tinyScenes } };
    const options = { open, replicates: 0, batchSize: 8, device: 'cpu' };
    const { judgment } = await evaluate(at('whole'), 'digits', options);
    expect(judgment.split).toBe('test');
    expect(judgment.metrics.perClassAP).toEqual(result.summary!.test!.metrics.perClassAP);
    const onValidation = await evaluate(at('whole'), 'digits', { ...options, split: 'validation' });
    expect(judgment.decided?.metrics).toEqual(result.summary!.test!.decided?.metrics);
    expect(onValidation.judgment.decided).toBeUndefined();
  });

  test('has a report that opens with its verdict and shows images at the decision in use', () => {
    const page = readFileSync(at('whole', 'report.html'), 'utf8');
    expect(page).toMatch(
      /<h1>Finds \d+ of \d+ positive images, with false alarms on \d+ of \d+ negatives\.<\/h1>/,
    );
    for (const title of [
      'Promised',
      'Found and missed',
      'The trade-off',
      'Mistakes',
      'Training',
      'Configuration',
    ])
      expect(page).toContain(title);
    expect(page).toMatch(/<img src="data:image/);
    expect(page).not.toMatch(/src="(?!data:)/);
  });
});

test('transfer learning takes the trunk from a file and changes only the last layer', async () => {
  const frozen: ConfigurationInput = {
    ...configuration,
    epochs: 1,
    averageDecay: undefined,
    network: {
      ...configuration.network,
      weights: at('whole', 'model.safetensors'),
      freezeTrunk: true,
    },
  };
  await trainAndReport(frozen, { run: at('frozen') });
  const [before, after] = [loadModel(at('whole')), loadModel(at('frozen'))].map(({ network }) =>
    network.stateDict(),
  );
  const changed = [...before!]
    .filter(([name, tensor]) => !tensor.equal(after!.get(name)!))
    .map(([name]) => name);
  expect(changed).toEqual(['head.fc.weight', 'head.fc.bias']);
}, 60_000);

test('a run stops early if epochs no longer improve, also in deterministic mode', async ({
  onTestFinished,
}) => {
  onTestFinished(() => setDeterministic(false));
  const still: ConfigurationInput = {
    ...configuration,
    epochs: 9,
    patience: 2,
    deterministic: true,
    averageDecay: undefined,
    network: { ...configuration.network, freezeTrunk: true },
    optimizer: { name: 'sgd', rate: 1e-12 },
  };
  const { summary } = await trainAndReport(still, { run: at('still') });
  expect(summary).toMatchObject({ epochs: 3, bestEpoch: 1 });
}, 60_000);

test('a run leaves the test split untouched if evaluation.test is false', async () => {
  const tasks = new Set<string>();
  const untested: ConfigurationInput = { ...configuration, epochs: 1, evaluation: { test: false } };
  const { folder: run, summary } = await trainAndReport(untested, {
    run: at('untested'),
    onEvent: (event) => event.type === 'progress' && tasks.add(event.task),
  });
  expect(summary).not.toHaveProperty('test');
  expect(tasks).toEqual(new Set(['validation']));
  expect(readdirSync(join(run, 'scores')).sort()).toEqual([
    'calibration.json',
    'checksums.json',
    'validation-labels.csv',
    'validation.csv',
  ]);
  expect(existsSync(join(run, 'report.html'))).toBe(true);
}, 60_000);

test.each([
  ['the last epoch is the best', { epochs: 1 }, 1],
  // At this rate no weight changes, and what batch norms still learn makes the second epoch worse.
  ['an earlier epoch is the best', { epochs: 2, optimizer: { name: 'sgd', rate: 1e-30 } }, 3],
] as const)('if %s, validation is scored with its weights only once', async (_, fields, passes) => {
  let scored = 0;
  const digits = { scenes: { train: 32, validation: 24, test: 24 } };
  await trainRun(
    { ...tinyRun, data: { dataset: 'digits', digits }, ...fields, evaluation: { replicates: 0 } },
    {
      run: at(`passes ${passes}`),
      onEvent(event) {
        if (event.type === 'progress' && event.task === 'validation' && event.done === 0) scored++;
      },
    },
  );
  expect(scored).toBe(passes);
});
