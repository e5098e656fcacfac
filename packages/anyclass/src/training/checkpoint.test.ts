import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tensor } from '@anyclass/torch';
import fc from 'fast-check';
import { beforeEach, expect, test } from 'vitest';
import { testFolder } from '../../../files/test/testFolder.js';
import {
  pruneCheckpoints,
  readCheckpoint,
  removePartial,
  takeNewestCheckpoint,
  writeCheckpoint,
} from './checkpoint.js';
import { firstProgress, type Progress } from './progress.js';

const root = testFolder();
let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(root, 'run-'));
});

function write(progress: Partial<Progress>): string {
  return writeCheckpoint(folder, {
    tensors: new Map([
      ['network.weight', tensor([0.1, -2, 3e-30])],
      ['network.count', tensor(BigInt64Array.of(7n))],
      ['generator.cpu', tensor(Uint8Array.of(1, 2, 255))],
    ]),
    state: {
      progress: { ...firstProgress(), ...progress },
      optimizerGroups: [{ params: 1, options: { lr: 0.1 } }],
      scheduler: { epoch: 2, baseRates: [0.1] },
      scaler: { scale: 1, growthFactor: 2, backoffFactor: 0.5, growthInterval: 10, growthTracker: 3 },
      threads: 2,
    },
  });
}

test('a checkpoint is read back bit for bit', () => {
  const { tensors, state } = readCheckpoint(write({ epoch: 3, step: 120, lossSum: 0.1 + 0.2 }));
  expect([...tensors.keys()].sort()).toEqual(['generator.cpu', 'network.count', 'network.weight']);
  expect(tensors.get('network.weight')?.toTypedArray()).toEqual(Float32Array.of(0.1, -2, 3e-30));
  expect(state.progress).toMatchObject({ epoch: 3, step: 120, lossSum: 0.1 + 0.2 });
  expect(state.threads).toBe(2);
});

test('one altered bit anywhere is detected', () => {
  const path = write({ epoch: 1 });
  const whole = readFileSync(path);
  fc.assert(
    fc.property(fc.nat(whole.length - 1), fc.nat(7), (at, bit) => {
      const altered = Buffer.from(whole);
      altered[at] = altered[at]! ^ (1 << bit);
      writeFileSync(path, altered);
      let read: ReturnType<typeof readCheckpoint> | undefined;
      try {
        read = readCheckpoint(path);
      } catch {
        return;
      }
      // An alteration that passes must be harmless, such as one kind of white space for another.
      expect(read.tensors.get('network.weight')?.toTypedArray()).toEqual(Float32Array.of(0.1, -2, 3e-30));
    }),
    { numRuns: 300 },
  );
});

test('a truncated file is skipped in favor of the newest intact one', () => {
  const older = write({ epoch: 1, step: 9 });
  const newer = write({ epoch: 10, step: 0 });
  writeFileSync(newer, readFileSync(newer).subarray(0, 400));
  const { path, skipped } = takeNewestCheckpoint(folder);
  expect(path).toBe(older);
  expect(skipped[0]).toContain(newer);
});

test('the newest checkpoints are kept, with the weights that any of them names as best', () => {
  for (const name of ['weights-epoch-0001', 'weights-epoch-0002', 'weights-epoch-0003']) {
    writeFileSync(join(folder, `${name}.safetensors`), '');
  }
  const best = (epoch: number) => ({
    mAP: { epoch, value: 0.5, file: `weights-epoch-000${epoch}.safetensors` },
  });
  for (const epoch of [1, 2, 3]) write({ epoch, best: best(epoch) });
  pruneCheckpoints(folder, 2);
  expect(readdirSync(folder).sort()).toEqual([
    'epoch-0002-step-000000.safetensors',
    'epoch-0003-step-000000.safetensors',
    'weights-epoch-0002.safetensors',
    'weights-epoch-0003.safetensors',
  ]);
});

test('files that a killed process left half-written are removed', () => {
  write({ epoch: 1 });
  writeFileSync(join(folder, '.partial-12-ab'), 'half');
  expect(removePartial(folder)).toEqual(['.partial-12-ab']);
  expect(readdirSync(folder)).toEqual(['epoch-0001-step-000000.safetensors']);
});
