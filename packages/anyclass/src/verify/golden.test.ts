import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { readVectorFile } from './vectorFile.js';
import { verifyFile } from './verifyFile.js';
import { verifyNetwork } from './verifyNetwork.js';

const vectors = path.resolve(import.meta.dirname, '../../test/vectors');
const coreVectors = path.resolve(import.meta.dirname, '../../../core/test/vectors');

describe('networks equal the published ones in names, shapes, logits, loss, gradients and running statistics', () => {
  test.each(['tresnet_m', 'tresnet_l', 'vit_b_16', 'maxvit_t', 'maxvit_s'])(
    '%s',
    async (name) => {
      const report = await verifyFile(path.join(vectors, `network_${name}.json`));
      expect(report.checks.filter(({ ok }) => !ok)).toEqual([]);
      const figures = report.checks.map(({ figure }) => figure);
      expect(figures.slice(0, 7)).toEqual([
        'parameters',
        'names and shapes',
        'eval logits',
        'train logits',
        'train loss',
        'gradient norm',
        "parameters' gradient norms",
      ]);
      expect(figures.includes('running statistics')).toBe(name !== 'vit_b_16');
    },
    300_000,
  );
});

test('golden losses and metrics are met', async () => {
  const losses = await verifyFile(path.join(coreVectors, 'losses.json'));
  const metrics = await verifyFile(path.join(coreVectors, 'metrics.json'));
  expect(losses.ok).toBe(true);
  expect(metrics.ok).toBe(true);
  expect(losses.checks.map(({ figure }) => figure)).toEqual(
    expect.arrayContaining(['gradient', 'gradient on tensors']),
  );
  expect(metrics.checks.map(({ figure }) => figure)).toContain('perClassAP');
});

test('a wrong structure is named, and nothing is computed with it', () => {
  const file = readVectorFile(path.join(vectors, 'network_tresnet_m.json'));
  if (file.kind !== 'network') throw new Error('expected a network');
  const [first, ...others] = file.vectors.stateDict;
  const stateDict = [[first![0], [64, 48, 5, 5]] as [string, number[]], ...others];
  const checks = verifyNetwork({ ...file.vectors, stateDict });
  expect(checks.map(({ figure, ok }) => [figure, ok])).toEqual([
    ['parameters', true],
    ['names and shapes', false],
  ]);
  expect(checks[1]?.place).toContain('lacks body.conv1.0.weight [64, 48, 5, 5]');
});
