import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fitDecision } from '@anyclass/core';
import { loadTensors, saveTensors } from '@anyclass/torch';
import { expect, test } from 'vitest';
import { testFolder } from '../../../files/test/testFolder.js';
import { createNetwork } from '../networks/createNetwork.js';
import { loadModel, saveModel } from './modelFile.js';
import { writeScoreChecksums } from './scoreChecksums.js';
import { readTable, writeTable } from './scoreFiles.js';

const folder = testFolder();
const at = (name: string) => join(folder, name);

using network = createNetwork('resnet-18', { classes: 2, inputSize: 32 });
saveModel(at('model.safetensors'), {
  network,
  description: {
    classes: ['crack', 'roots'],
    channels: 3,
    mean: [0.5, 0.5, 0.5],
    std: [0.5, 0.5, 0.5],
    epoch: 1,
    loss: 'bce',
    dataset: 'digits',
  },
});

test('a model whose weights were overwritten with zeros is refused, and named', () => {
  const bytes = readFileSync(at('model.safetensors'));
  bytes.fill(0, bytes.length / 2);
  writeFileSync(at('zeros.safetensors'), bytes);
  expect(() => loadModel(at('zeros.safetensors'))).toThrow(/zeros\.safetensors: is damaged: tensor "/);
});

test('a model with weights that are not finite is refused, and its tensor named', () => {
  const { tensors, metadata } = loadTensors(at('model.safetensors'));
  const { checksums: _left, ...rest } = metadata;
  const name = 'fc.weight';
  saveTensors(
    at('nan.safetensors'),
    new Map(tensors).set(name, tensors.get(name)!.mul(Number.POSITIVE_INFINITY)),
    rest,
  );
  expect(() => loadModel(at('nan.safetensors'))).toThrow(
    `nan.safetensors has weights that are NaN or infinite: ${name};`,
  );
});

test('a model from a version without checksums loads with a remark', () => {
  const { tensors, metadata } = loadTensors(at('model.safetensors'));
  const { checksums: _left, ...older } = metadata;
  saveTensors(at('older.safetensors'), tensors, older);
  const model = loadModel(at('older.safetensors'));
  expect(model.remarks).toEqual([expect.stringContaining('older.safetensors has no checksums')]);
  model.network.dispose();
  const checked = loadModel(at('model.safetensors'));
  expect(checked.remarks).toEqual([]);
  checked.network.dispose();
});

const decision = fitDecision(
  { scores: Float64Array.of(0.1, 0.9, 0.8, 0.3), targets: [0, 1, 0, 0], classNames: ['crack', 'roots'] },
  { rule: 'fixed', threshold: 0.5 },
);

test.each<[field: string, written: Readonly<Record<string, unknown>>]>([
  ['model.classes', { classes: [] }],
  ['model.classes.1', { classes: ['crack', 7] }],
  ['model.std', { std: [0.5, 0.5] }],
  ['model.epoch', { epoch: null }],
  ['model.decision.classNames', { decision: { ...decision, classNames: null } }],
  ['model.decision.classNames', { decision: { ...decision, classNames: ['crack', 'rust'] } }],
  ['model.decision.thresholds', { decision: { ...decision, thresholds: [0.5] } }],
  [
    'model.decision.report.guarantee',
    { decision: { ...decision, report: { ...decision.report, guarantee: 1 } } },
  ],
  ['model.calibration', { calibration: { kind: 'temperature' } }],
])('a description whose %s is none is refused, and names it', (field, written) => {
  const { tensors, metadata } = loadTensors(at('model.safetensors'));
  const { checksums: _left, model = '', ...rest } = metadata;
  const changed = JSON.stringify({ ...JSON.parse(model), ...written });
  saveTensors(at('described.safetensors'), tensors, { ...rest, model: changed });
  const told = expect.objectContaining({ name: 'UserError', message: expect.stringContaining(`(${field}`) });
  expect(() => loadModel(at('described.safetensors'))).toThrow(told);
});

test.each([
  ['{"classes":2,"inputSize":"large"}', 'inputSize is large'],
  ['[1]', 'classes is 0'],
  ['{"classes":', 'classes is 0'],
  ['{"classes":3,"inputSize":32}', 'fc.weight has shape [3, 512]'],
])('a file with the network options %s is refused', (networkOptions, reason) => {
  const { tensors, metadata } = loadTensors(at('model.safetensors'));
  const { checksums: _left, ...rest } = metadata;
  saveTensors(at('options.safetensors'), tensors, { ...rest, networkOptions });
  const told = expect.objectContaining({ name: 'UserError', message: expect.stringContaining(reason) });
  expect(() => loadModel(at('options.safetensors'))).toThrow(told);
});

test('scores with a changed digit are refused; other tables in the folder are not', async () => {
  const table = { names: ['a.png', 'b.png'], classNames: ['crack'], values: [0.25, 0.75] };
  writeScoreChecksums(folder, { 'test.csv': writeTable(at('test.csv'), table) });
  writeTable(at('mine.csv'), table);
  expect((await readTable(at('test.csv'))).values).toEqual(Float64Array.of(0.25, 0.75));
  writeFileSync(at('test.csv'), readFileSync(at('test.csv'), 'utf8').replace('0.25', '0.26'));
  await expect(readTable(at('test.csv'))).rejects.toThrow('test.csv: differs from what the run wrote');
  await readTable(at('mine.csv'));
  writeFileSync(at('checksums.json'), '{"test');
  await expect(readTable(at('test.csv'))).rejects.toThrow('checksums.json: is damaged');
});
