import { join } from 'node:path';
import { noGrad, type Tensor, tensor, zeros } from '@anyclass/torch';
import { expect, test, vi } from 'vitest';
import { testFolder } from '../../../files/test/testFolder.js';
import { batchWithin } from '../data/batches/batchWithin.js';
import { modelText } from '../field/modelText.js';
import { createNetwork } from '../networks/createNetwork.js';
import { saveModel } from '../runs/modelFile.js';
import { fixedDecision } from './modelDecision.js';
import { readModelRecord } from './modelRecord.js';
import { openModelScorer } from './modelScorer.js';

const folder = testFolder();

test('a batch has as many instances as wanted, of large images fewer, and at least one', () => {
  const square = (side: number) => ({ width: side, height: side, channels: 3 as const });
  expect(batchWithin(64, square(224))).toBe(64);
  expect(batchWithin(64, square(512))).toBe(64);
  expect(batchWithin(64, square(2048))).toBe(4);
  expect(batchWithin(2, square(2048))).toBe(2);
  expect(batchWithin(64, square(16_000))).toBe(1);
  expect(batchWithin(64, { features: 1e6 })).toBe(64);
});

test('a model of large images in tiles takes few of them at once, and no more tiles than fit', async () => {
  const path = join(folder, 'model.safetensors');
  const tiles = { imageSize: 2048, overlap: 32, pool: 'noisy-or' } as const;
  const classes = ['scratch'];
  {
    using network = createNetwork('resnet-18', { classes: 1, inputSize: 512, tiles });
    const decision = fixedDecision(classes, 0.5);
    const description = { classes, channels: 3, mean: [0], std: [1], epoch: 1, loss: 'bce' } as const;
    saveModel(path, { network, description: { ...description, dataset: 'parts', decision } });
  }
  expect(modelText(readModelRecord(path))).toContain('2048 by 2048 pixels, RGB, cut into 25 tiles of 512');
  using opened = await openModelScorer(path, { device: 'cpu', batchSize: 64 });
  expect(opened.batchSize).toBe(4);
  const { network } = opened.inside!;
  expect(network.tilesAtOnce).toBe(16);
  const seen: number[] = [];
  vi.spyOn(network, 'forwardFeatures').mockImplementation((parts: Tensor) => {
    seen.push(parts.shape[0]!);
    return zeros([parts.shape[0]!, 512, 1, 1]);
  });
  noGrad(() =>
    network.forward(tensor(new Float32Array(3), { shape: [1, 3, 1, 1] }).expand([4, 3, 2048, 2048])),
  );
  expect(seen).toEqual([...Array(6).fill(16), 4]); // 25 tiles of 4 images, 4 places at a time
});
