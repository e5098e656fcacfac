import { join } from 'node:path';
import { noGrad, optim, randn, setSeed, tensor } from '@anyclass/torch';
import sharp from 'sharp';
import { beforeAll, expect, test } from 'vitest';
import { testFolder } from '../../../files/test/testFolder.js';
import { fileWriter } from '../../test/labelLayouts.js';
import type { ConfigurationInput } from '../configuration/schema.js';
import { validateConfiguration } from '../configuration/validate.js';
import { deviceImages } from '../data/batches/deviceBatch.js';
import { labelMatrixBuilder } from '../data/dataset/labelMatrix.js';
import { objectBoxesBuilder } from '../data/dataset/objectBoxes.js';
import { randomStream } from '../data/random/philox.js';
import { anyClassLoss } from '../losses/anyClassLoss.js';
import { createNetwork } from '../networks/createNetwork.js';
import { tileEvidence } from '../networks/layers/tiles.js';
import { loadModel, modelPath } from '../runs/modelFile.js';
import { chooseTileLabels } from './tileLabels.js';
import { createTrainingStep } from './trainingStep.js';
import { trainRun } from './trainRun.js';

const folder = testFolder();

const side = 96;
const markSide = 10;

interface Mark {
  readonly left: number;
  readonly top: number;
}

/**
 * Noise. Two of three images have a mark, and, in another place, a brighter stamp that has no box: only boxes tell which of the two is
 * the object.
 */
function drawn(index: number): { readonly pixels: Uint8Array; readonly mark: Mark | undefined } {
  const stream = randomStream('sample', 9, 0, index);
  const pixels = Uint8Array.from({ length: side * side }, () => 60 + stream.below(60));
  if (index % 3 === 0) return { pixels, mark: undefined };
  const paint = (tile: number, value: (x: number, y: number) => number): Mark => {
    const within = 32 - markSide;
    const [left, top] = [
      32 * (tile % 3) + stream.below(within),
      32 * Math.floor(tile / 3) + stream.below(within),
    ];
    for (let y = 0; y < markSide; y++) {
      for (let x = 0; x < markSide; x++) pixels[(top + y) * side + left + x] = value(x, y);
    }
    return { left, top };
  };
  const tile = stream.below(9);
  const mark = paint(tile, (x) => (x % 4 < 2 ? 200 : 20));
  paint((tile + 1 + stream.below(8)) % 9, () => 250);
  return { pixels, mark };
}

const count = 60;
beforeAll(async () => {
  const write = fileWriter(folder);
  const annotations: object[] = [];
  const images = Array.from({ length: count }, (_, id) => ({
    id,
    file_name: `${id}.png`,
    width: side,
    height: side,
  }));
  for (const { id } of images) {
    const { pixels, mark } = drawn(id);
    write(
      `${id}.png`,
      await sharp(pixels, { raw: { width: side, height: side, channels: 1 } })
        .png()
        .toBuffer(),
    );
    if (mark)
      annotations.push({
        id: id + 1,
        image_id: id,
        category_id: 1,
        bbox: [mark.left, mark.top, markSide, markSide],
      });
  }
  const categories = [{ id: 1, name: 'mark' }];
  write('instances.json', JSON.stringify({ images, annotations, categories }));
});

function configuration(changes: Partial<ConfigurationInput> = {}): ConfigurationInput {
  return {
    data: { dataset: join(folder, 'instances.json'), channels: 1 },
    network: { name: 'tresnet-s', inputSize: 32, tiles: { imageSize: 96 } },
    augmentation: { flip: 0.5 },
    optimizer: { name: 'adamw', rate: 0.002 },
    loss: { name: 'bce' },
    batchSize: 8,
    epochs: 3,
    device: 'cpu',
    threads: 1,
    finalWeights: 'last',
    evaluation: { test: false, replicates: 0 },
    ...changes,
  };
}

test('tiles learn from the boxes of a COCO file which of them shows the mark; labels of images say less', async () => {
  const notes: string[] = [];
  const share = async (name: string, changes: Partial<ConfigurationInput> = {}) => {
    const run = join(folder, name);
    await trainRun(configuration(changes), {
      run,
      onEvent: (event) => void (event.type === 'note' && notes.push(event.text)),
    });
    return placedShare(run);
  };
  const boxed = await share('boxed');
  expect(notes.filter((note) => note.includes('boxes of objects'))).toEqual([
    'tiles learn from 40 boxes of objects',
  ]);
  expect(boxed).toBeGreaterThan(0.9);
  notes.length = 0;
  const pooled = await share('pooled', { tileLabels: 'image' });
  expect(notes.filter((note) => note.includes('boxes'))).toEqual([]);
  expect(pooled).toBeLessThan(0.6); // the stamp is easier to see
}, 120_000);

/** In how many images the tile with the highest score touches the mark. */
function placedShare(run: string): number {
  const { network, description } = loadModel(modelPath(run));
  const shown = Array.from({ length: count }, (_, i) => drawn(i)).filter(({ mark }) => mark !== undefined);
  const inputs = Uint8Array.from(shown.flatMap(({ pixels }) => [...pixels]));
  const format = { width: side, height: side, channels: 1 } as const;
  if (!('mean' in description)) throw new Error('a model of images was expected');
  const { mean, std } = description;
  using images = deviceImages({ size: shown.length, inputs }, { format, device: 'cpu', mean, std });
  const best = noGrad(() => network.eval().tileLogits(images).argmax(0)).toTypedArray();
  const right = shown.filter(({ mark }, i) => {
    const [x, y] = [32 * (Number(best[i]) % 3), 32 * Math.floor(Number(best[i]) / 3)];
    return mark!.left + markSide > x && mark!.left < x + 32 && mark!.top + markSide > y && mark!.top < y + 32;
  });
  return right.length / shown.length;
}

test('the loss of tiles is that of as many images, in a whole batch and in parts', () => {
  const tiles = { imageSize: 48, overlap: 0, pool: 'noisy-or' } as const;
  const images = randn([4, 3, 48, 48]);
  const targets = tensor(
    Float32Array.from({ length: 4 * 4 * 2 }, (_, i) => (i % 7 === 0 ? Number.NaN : i % 3 === 0 ? 1 : 0)),
    { shape: [4, 4, 2] },
  );
  const loss = { base: 'bce', alpha: 1, lambda: 0.1, reduction: 'mean' } as const;
  const outcomes = [1, 2].map((accumulation) => {
    setSeed(1);
    const network = createNetwork('resnet-18', { classes: 2, inputSize: 24, tiles }).eval();
    const step = createTrainingStep({
      network,
      optimizer: new optim.SGD(network.parameters(), { lr: 0 }),
      scaler: new optim.GradScaler({ enabled: false }),
      loss,
      settings: { device: 'cpu', precision: 'float32' },
      batchSize: 4,
      accumulation,
      clipNorm: null,
    })(images, targets);
    expect(step.images.toNumber()).toBe(4);
    expect(step.logits.shape).toEqual([4, 2]);
    const expected = noGrad(() => {
      const evidence = tileEvidence(network.tileLogits(images)).reshape([16, 2]);
      return anyClassLoss(evidence, targets.permute([1, 0, 2]).reshape([16, 2]), loss).toNumber();
    });
    expect(step.loss.toNumber()).toBeCloseTo(expected, 5);
    return [step.loss.toNumber(), step.gradientNorm.toNumber(), ...step.logits.toFloat32Array()];
  });
  outcomes[1]!.forEach((value, i) => {
    expect(value).toBeCloseTo(outcomes[0]![i]!, 4);
  });
});

test('boxes are used where most labels have one; otherwise, and with mixing or a teacher, the reason is said', () => {
  const labels = labelMatrixBuilder(1);
  const boxes = objectBoxesBuilder();
  for (let row = 0; row < 4; row++) {
    labels.addRow();
    labels.set(0);
    if (row < 3) boxes.add(row, 0, { left: 0, top: 0, width: 0.5, height: 0.5 });
  }
  const objects = boxes.finish()!;
  const tiles = { imageSize: 64, overlap: 0, pool: 'max' } as const;
  using network = createNetwork('resnet-18', { classes: 1, inputSize: 32, tiles });
  using whole = createNetwork('resnet-18', { classes: 1, inputSize: 32 });
  const settings = (changes: object) => validateConfiguration({ data: { dataset: 'digits' }, ...changes });
  const data = (rows: readonly number[], known = true) => ({
    trainingRows: Int32Array.from(rows),
    dataset: { name: 'parts', labels: labels.finish(), classes: ['mark'], ...(known && { objects }) },
  });
  const all = chooseTileLabels(settings({}), data([0, 1, 2, 3]), network);
  expect(all.labels).toMatchObject({ starts: [0, 32], size: 32 });
  expect(all.labels!.objectsOf(1)).toEqual([{ classIndex: 0, left: 0, top: 0, width: 0.5, height: 0.5 }]);
  expect(all.remarks).toEqual([
    'tiles learn from 3 boxes of objects',
    '1 label of training images has no box; their tiles are unknown',
  ]);
  const few = chooseTileLabels(settings({}), data([3]), network);
  expect(few).toEqual({
    remarks: ['tiles learn from labels of whole images: only 0 of 1 label in training images have a box'],
  });
  const mixed = settings({ mixing: { mixup: 0.5 } });
  expect(chooseTileLabels(mixed, data([0]), network).remarks[0]).toMatch(/mixed images have no boxes/);
  expect(chooseTileLabels(settings({}), data([0]), network, () => {}).remarks[0]).toMatch(/teacher/);
  expect(chooseTileLabels(settings({}), data([0], false), network)).toEqual({ remarks: [] });
  expect(chooseTileLabels(settings({ tileLabels: 'image' }), data([0]), network)).toEqual({ remarks: [] });
  expect(chooseTileLabels(settings({}), data([0]), whole)).toEqual({ remarks: [] });
  const asked = settings({ tileLabels: 'boxes' });
  expect(() => chooseTileLabels(asked, data([0], false), network)).toThrow(
    /tileLabels is boxes, but parts has no boxes/,
  );
  expect(() => chooseTileLabels(asked, data([0]), whole)).toThrow(/not cut into tiles; set network.tiles/);
});
