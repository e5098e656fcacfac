import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { hasCuda } from '@anyclass/torch';
import { describe, expect, test } from 'vitest';
import { testFolder } from '../../../files/test/testFolder.js';
import type { ConfigurationInput } from '../configuration/schema.js';
import type { RunEvent } from '../events/runEvent.js';
import { readEpochs } from '../runs/metricsLog.js';
import { resumeRun } from './resumeRun.js';
import { trainRun } from './trainRun.js';

const folder = testFolder();

/** Three epochs of eight steps; the step is captured during the first epoch. */
const configuration: ConfigurationInput = {
  data: { dataset: 'digits', digits: { scenes: { train: 256, validation: 64, test: 64 } } },
  network: { name: 'tresnet-s', inputSize: 32 },
  epochs: 3,
  batchSize: 32,
  optimizer: { name: 'sgd', rate: 0.02 },
  averageDecay: 0.9,
  evaluation: { replicates: 0 },
  device: 'cuda',
  cudnnBenchmark: false,
};

interface RunResult {
  readonly losses: readonly number[];
  /** Checksum of the model file. */
  readonly model: string;
}

async function trained(name: string, fields: Partial<ConfigurationInput>): Promise<RunResult> {
  const run = join(folder, name);
  await trainRun({ ...configuration, ...fields }, { run });
  return resultOf(run);
}

function resultOf(run: string): RunResult {
  const losses = readEpochs(join(run, 'metrics.jsonl')).map(({ trainingLoss }) => trainingLoss);
  const model = createHash('sha256')
    .update(readFileSync(join(run, 'model.safetensors')))
    .digest('hex');
  return { losses, model };
}

describe.skipIf(!hasCuda())(`training on cuda${hasCuda() ? '' : ' (skipped: no CUDA device)'}`, () => {
  test('with captured steps matches the CPU', async () => {
    const expected = await trained('cpu', { device: 'cpu', precision: 'float32' });
    for (const [precision, tolerance] of [
      ['float32', 0.01],
      ['bfloat16', 0.03],
      ['float16', 0.03],
    ] as const) {
      const { losses } = await trained(precision, { precision });
      losses.forEach((loss, epoch) => {
        expect(Math.abs(loss / expected.losses[epoch]! - 1), `${precision}, epoch ${epoch + 1}`).toBeLessThan(
          tolerance,
        );
      });
    }
  }, 300_000);

  test('captures frozen and later epochs separately, and matches the CPU', async () => {
    const network = { name: 'tresnet-s', inputSize: 32, frozenEpochs: 1 } as const;
    const fields = { network, precision: 'float32' } as const;
    const expected = await trained('frozen-cpu', { ...fields, device: 'cpu' });
    const { losses } = await trained('frozen', fields);
    losses.forEach((loss, epoch) => {
      expect(Math.abs(loss / expected.losses[epoch]! - 1), `epoch ${epoch + 1}`).toBeLessThan(0.01);
    });
  }, 300_000);

  test('in deterministic mode, two runs and an interrupted one end with the same bits', async () => {
    const fields = { deterministic: true, precision: 'bfloat16' } as const;
    const first = await trained('first', fields);
    expect(await trained('second', fields)).toEqual(first);

    const run = join(folder, 'interrupted');
    const controller = new AbortController();
    const onEvent = (event: RunEvent) => {
      if (event.type === 'step' && event.epoch === 2 && event.step > 0) controller.abort();
    };
    await trainRun({ ...configuration, ...fields }, { run, onEvent, signal: controller.signal });
    await resumeRun(run);
    expect(resultOf(run)).toEqual(first);
  }, 300_000);
});
