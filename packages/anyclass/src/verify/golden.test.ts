import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { noGrad } from '@anyclass/torch';
import { describe, expect, test } from 'vitest';
import { testFolder } from '../../../files/test/testFolder.js';
import { DataError } from '../errors/dataError.js';
import { createNetwork } from '../networks/createNetwork.js';
import { fillByHash, hashImages } from './hashFill.js';
import { type NetworkVectors, readVectorFile } from './vectorFile.js';
import { verifyFile } from './verifyFile.js';
import { verifyNetwork } from './verifyNetwork.js';

const vectors = path.resolve(import.meta.dirname, '../../test/vectors');
const coreVectors = path.resolve(import.meta.dirname, '../../../core/test/vectors');

describe('networks match the published ones in names, shapes, logits, loss, gradients and running statistics', () => {
  test.each(['tresnet_m', 'tresnet_l', 'vit_b_16', 'maxvit_t', 'maxvit_s'])(
    '%s',
    (name) => {
      const report = verifyFile(path.join(vectors, `network_${name}.json`));
      expect(report.checks.filter(({ ok }) => !ok)).toEqual([]);
      const names = report.checks.map(({ name }) => name);
      expect(names.slice(0, 7)).toEqual([
        'parameters',
        'names and shapes',
        'eval logits',
        'train logits',
        'train loss',
        'gradient norm',
        "parameters' gradient norms",
      ]);
      expect(names.includes('running statistics')).toBe(name !== 'vit_b_16');
    },
    300_000,
  );
});

describe('networks match those of an independent implementation', () => {
  test.each([
    ['resnet_18', 'as in torchvision'],
    ['tresnet_m_negative', 'with negative norm weights and another salt'],
    ['maxvit_t_negative', 'with negative norm weights, another salt and partition'],
  ])(
    '%s, %s',
    (name) => {
      const report = verifyFile(path.join(vectors, `network_${name}.json`));
      expect(report.checks.filter(({ ok }) => !ok)).toEqual([]);
    },
    120_000,
  );

  test('in float64 to 1e-9', () => {
    const checks = verifyNetwork(networkVectors('tresnet_m_negative'), { dtype: 'float64' });
    for (const { name, error } of checks) expect([name, error < 1e-9]).toEqual([name, true]);
  });
});

test('the salt also varies the input: logits of an unsalted input do not match', () => {
  const given = networkVectors('tresnet_m_negative');
  using network = createNetwork('tresnet-m', { classes: given.classes, inputSize: 64 }).eval();
  fillByHash(network, given);
  const logits = noGrad(() => network.forward(hashImages([given.batch, 3, 64, 64])));
  const values = [...logits.toFloat32Array()];
  const evalLogits = given.evalLogits.map((row, i) => row.map((_, j) => values[i * row.length + j]!));
  const checks = verifyNetwork({ ...given, evalLogits });
  expect(checks.find(({ name }) => name === 'eval logits')).toMatchObject({ ok: false });
  expect(checks.find(({ name }) => name === 'train logits')).toMatchObject({ ok: true });
});

test('losses and metrics match their golden values', () => {
  const losses = verifyFile(path.join(coreVectors, 'losses.json'));
  const metrics = verifyFile(path.join(coreVectors, 'metrics.json'));
  expect(losses.ok).toBe(true);
  expect(metrics.ok).toBe(true);
  expect(losses.checks.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['gradient', 'gradient on tensors']),
  );
  expect(metrics.checks.map(({ name }) => name)).toContain('perClassAP');
});

test('a wrong structure is reported, and nothing is computed with it', () => {
  const given = networkVectors('tresnet_m');
  const [first, ...others] = given.stateDict;
  const stateDict = [[first![0], [64, 48, 5, 5]] as [string, number[]], ...others];
  const checks = verifyNetwork({ ...given, stateDict });
  expect(checks.map(({ name, ok }) => [name, ok])).toEqual([
    ['parameters', true],
    ['names and shapes', false],
  ]);
  expect(checks[1]?.place?.structure).toEqual({
    lacks: [{ name: 'body.conv1.0.weight', shape: [64, 48, 5, 5] }],
    has: [{ name: 'body.conv1.0.weight', shape: [64, 48, 3, 3] }],
  });
});

test('a gradient that does not match is reported with its parameter', () => {
  const given = networkVectors('resnet_18');
  const gradNorms = { ...given.gradNorms, 'fc.weight': given.gradNorms['fc.weight']! * 2 };
  const check = verifyNetwork({ ...given, gradNorms }).find(({ ok }) => !ok);
  expect(check).toMatchObject({ name: "parameters' gradient norms", place: { entry: 'fc.weight' } });
});

test('the name of a file with an unknown or impossible network is reported', () => {
  const given = networkVectors('resnet_18');
  const folder = testFolder();
  for (const changes of [{ network: 'resnet_19' }, { network: 'tresnet_m', inputSize: 30 }]) {
    const file = path.join(folder, `${changes.network}.json`);
    writeFileSync(file, JSON.stringify({ ...given, ...changes }));
    expect(() => verifyFile(file)).toThrow(DataError);
    expect(() => verifyFile(file)).toThrow(file);
  }
});

function networkVectors(name: string): NetworkVectors {
  const file = readVectorFile(path.join(vectors, `network_${name}.json`));
  if (file.kind !== 'network') throw new Error('expected a network');
  return file.vectors;
}
