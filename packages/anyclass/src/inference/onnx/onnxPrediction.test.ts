import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isEngineLoaded } from '@anyclass/torch';
import sharp from 'sharp';
import { beforeAll, expect, test } from 'vitest';
import { testFolder } from '../../../../files/test/testFolder.js';
import { modelProto } from '../../export/onnx/modelProto.js';
import { fixedDecision } from '../modelDecision.js';
import { openModelScorer } from '../modelScorer.js';
import { openPredictor } from '../predictor.js';
import { describeExport, exportMetadata } from './exportedModel.js';
import { normalizeImages } from './normalizeImages.js';
import { readOnnxMetadata } from './onnxMetadata.js';

// A hand-written model, because this test must not need libtorch: its logits are the means of red and blue.
const folder = testFolder();
const model = join(folder, 'model.onnx');

const classes = ['red', 'blue'];
const description = {
  classes,
  channels: 3,
  mean: [0.5],
  std: [0.1],
  epoch: 1,
  loss: 'bce',
  dataset: 'digits',
  decision: { ...fixedDecision(classes, 0.5), presence: 2, thresholds: [0.9, null] },
} as const;

function modelBytes(metadata: Record<string, string>): Uint8Array {
  const weight = Float32Array.of(1, 0, 0, 0, 0, 1);
  const proto = modelProto({
    graph: {
      name: 'colors',
      inputs: [{ name: 'pixel_values', type: 'float32', shape: ['batch', 3, 4, 4] }],
      outputs: [{ name: 'logits', type: 'float32', shape: ['batch', 2] }],
      nodes: [
        {
          operator: 'GlobalAveragePool',
          name: 'pool',
          inputs: ['pixel_values'],
          outputs: ['pooled'],
          attributes: {},
        },
        { operator: 'Flatten', name: 'flat', inputs: ['pooled'], outputs: ['means'], attributes: {} },
        {
          operator: 'Gemm',
          name: 'head',
          inputs: ['means', 'weight'],
          outputs: ['logits'],
          attributes: { transB: { int: 1 } },
        },
      ],
      initializers: [
        { name: 'weight', type: 'float32', shape: [2, 3], read: () => new Uint8Array(weight.buffer) },
      ],
    },
    producer: { name: 'test', version: '1' },
    metadata,
  });
  const parts: Uint8Array[] = [];
  proto.writeTo((bytes) => parts.push(bytes));
  return Buffer.concat(parts);
}

beforeAll(async () => {
  const exported = describeExport(description, { network: 'colors', inputSize: 4, precision: 'float32' });
  writeFileSync(model, modelBytes(exportMetadata(exported)));
  mkdirSync(join(folder, 'images'));
  for (const [name, background] of Object.entries({ red: '#ff0000', blue: '#0000ff', gray: '#808080' })) {
    await sharp({ create: { width: 9, height: 7, channels: 3, background } })
      .png()
      .toFile(join(folder, 'images', `${name}.png`));
  }
});

test('an exported model predicts with its own decision, and libtorch is never opened', async () => {
  using predictor = await openPredictor(model);
  expect(predictor.description).toEqual(description);
  const red = await predictor.predictOne(join(folder, 'images', 'red.png'));
  expect(red.labels).toEqual(['red']);
  expect(red.probabilities['red']).toBeCloseTo(1 / (1 + Math.exp(-5)), 6);
  // Blue passes the gate and has no threshold; gray does not pass.
  const blue = await predictor.predictOne(join(folder, 'images', 'blue.png'));
  expect([blue.labels, blue.presence.passes]).toEqual([[], true]);
  const gray = await predictor.predictOne(join(folder, 'images', 'gray.png'));
  expect([gray.labels, gray.presence.passes]).toEqual([[], false]);
  expect(isEngineLoaded()).toBe(false);
});

test('preprocessing, device and precision must be what the file supports', async () => {
  using gray = await openPredictor(model, { preparation: { channels: 1 }, decision: 0.4 });
  expect((await gray.predictOne(join(folder, 'images', 'gray.png'))).labels).toEqual(['red', 'blue']);
  await expect(openPredictor(model, { device: 'cuda' })).rejects.toThrow(/cuda.*CPU/);
  await expect(openPredictor(model, { precision: 'bfloat16' })).rejects.toThrow(/bfloat16/);
  await expect(openPredictor(model, { decision: { budget: { falseAlarms: 0.1 } } })).rejects.toThrow(
    /scores/,
  );
});

test('files that are not exported models are refused, with the reason', async () => {
  const other = join(folder, 'other.onnx');
  writeFileSync(other, modelBytes({}));
  await expect(openPredictor(other)).rejects.toThrow(/other\.onnx.*metadata.*anyclass export/);
  writeFileSync(other, 'no model at all');
  await expect(openPredictor(other)).rejects.toThrow(/not an ONNX file/);
  writeFileSync(other, '');
  await expect(openPredictor(other)).rejects.toThrow(/other\.onnx/);
  const cut = join(folder, 'cut.onnx');
  copyFileSync(model, cut);
  writeFileSync(cut, modelBytes(readOnnxMetadata(model)).subarray(0, 60));
  await expect(openPredictor(cut)).rejects.toThrow(/cut\.onnx.*damaged/);
  await expect(openPredictor(join(folder, 'none.onnx'))).rejects.toThrow(/no such model/);
});

test('a file that differs in any byte from what was exported is refused', async () => {
  const whole = readFileSync(model);
  const damaged = join(folder, 'damaged.onnx');
  const weight = whole.indexOf(Buffer.from(Float32Array.of(1, 0, 0, 0, 0, 1).buffer));
  for (const at of [weight + 3, whole.length - 1, whole.indexOf('Gemm')]) {
    const bytes = Buffer.from(whole);
    bytes[at]! ^= 1;
    writeFileSync(damaged, bytes);
    await expect(openPredictor(damaged)).rejects.toThrow(/damaged\.onnx: is damaged.*checksum/);
  }
  const sealAt = whole.length - 76;
  writeFileSync(
    damaged,
    Buffer.concat([whole.subarray(0, 9), Buffer.alloc(sealAt - 9), whole.subarray(sealAt)]),
  );
  await expect(openPredictor(damaged)).rejects.toThrow(/checksum/);
});

test('a file from a version before checksums opens, with a remark', async () => {
  const old = join(folder, 'old.onnx');
  writeFileSync(old, readFileSync(model).subarray(0, -76));
  using scorer = await openModelScorer(old);
  expect(scorer.remarks).toEqual([expect.stringMatching(/old\.onnx has no checksum/)]);
  using checked = await openModelScorer(model);
  expect(checked.remarks).toEqual([]);
});

test('bytes become floats on three planes', () => {
  const format = { width: 2, height: 1, channels: 1 } as const;
  const gray = normalizeImages(
    { size: 1, inputs: Uint8Array.of(0, 51) },
    { format, mean: [0.1], std: [0.5] },
  );
  expect(Array.from(gray, (value) => value.toFixed(5))).toEqual([
    '-0.20000',
    '0.20000',
    '-0.20000',
    '0.20000',
    '-0.20000',
    '0.20000',
  ]);
  const color = normalizeImages(
    { size: 2, inputs: Uint8Array.of(255, 0, 51, 0, 255, 0) },
    { format: { width: 1, height: 1, channels: 3 }, mean: [0, 0.5, 0], std: [1, 0.5, 2] },
  );
  expect(Array.from(color, (value) => value.toFixed(5))).toEqual([
    '1.00000',
    '-1.00000',
    '0.10000',
    '0.00000',
    '1.00000',
    '0.00000',
  ]);
});
