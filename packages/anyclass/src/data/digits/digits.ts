import type { DatasetTable } from '../dataset/dataset.js';
import type { ImageSource } from '../dataset/imageSource.js';
import { labelMatrixBuilder } from '../dataset/labelMatrix.js';
import { nameTableBuilder } from '../dataset/nameTable.js';
import { readMnist } from './mnist.js';
import {
  type DigitPlace,
  digitPlaces,
  digitPool,
  labeledDigits,
  renderScene,
  sceneDigits,
  sceneSide,
} from './scene.js';

export interface DigitsOptions {
  /** Each seed gives a different dataset. Default 0. */
  readonly seed?: number;
  /** Number of scenes by split. Default 20,000, 4,000, and 4,000. */
  readonly scenes?: { readonly [Split in DigitSplit]?: number | undefined };
}

/**
 * The handwriting of each split: test scenes use MNIST's test images; the other splits use disjoint
 * ranges of its training images.
 */
const handwriting = {
  train: { part: 'train', from: 0, to: 50_000, code: 0 },
  validation: { part: 'train', from: 50_000, to: 60_000, code: 1 },
  test: { part: 'test', from: 0, to: 10_000, code: 2 },
} as const;

type DigitSplit = keyof typeof handwriting;

/**
 * The embedded dataset: scenes of 0 to 4 real handwritten digits among clutter. Six of the ten digits are
 * classes, with a long tail; most negative scenes show other digits. Scenes are rendered on demand and
 * depend only on the seed.
 *
 * @example
 * readDigits({}).classes // ['3', '5', '7', '2', '8', '9']
 */
export function readDigits(options: DigitsOptions): DatasetTable {
  const { seed = 0 } = options;
  const { train = 20_000, validation = 4_000, test = 4_000 } = options.scenes ?? {};
  const scenes = { train, validation, test };
  const names = nameTableBuilder();
  const labels = labelMatrixBuilder(labeledDigits.length);
  const firstRow = { train: 0, validation: scenes.train, test: scenes.train + scenes.validation };
  const addScenes = (split: DigitSplit): Int32Array => {
    for (let index = 0; index < scenes[split]; index++) {
      names.add(`${split}-${String(index).padStart(6, '0')}`);
      labels.addRow();
      for (const digit of sceneDigits(seed, handwriting[split].code, index)) {
        const classIndex = labeledDigits.findIndex((labeled) => labeled.digit === digit);
        if (classIndex >= 0) labels.set(classIndex);
      }
    }
    return Int32Array.from({ length: scenes[split] }, (_, index) => firstRow[split] + index);
  };
  const splits = {
    train: addScenes('train'),
    validation: addScenes('validation'),
    test: addScenes('test'),
    decision: new Int32Array(0),
  };
  return {
    name: 'digits',
    classes: labeledDigits.map(({ digit }) => String(digit)),
    names: names.finish(),
    labels: labels.finish(),
    images: sceneImages(seed, firstRow),
    fixedSplits: { splits, origin: `generated with seed ${seed}; each split has its own handwriting` },
    preparation: { channels: 1, mean: [0.056], std: [0.189], augmentation: 'none' },
    remarks: [],
  };
}

/**
 * Where the digits of test scenes are, for checking heat maps.
 *
 * @example
 * await testDigitPlaces(0, 2) // [[{ digit: 4, x: 1, y: 20 }], []]
 */
export async function testDigitPlaces(seed: number, scenes: number): Promise<DigitPlace[][]> {
  const { part, from, to, code } = handwriting.test;
  const pool = digitPool(await readMnist(part), from, to);
  return Array.from({ length: scenes }, (_, index) => digitPlaces(seed, code, index, pool));
}

function sceneImages(seed: number, firstRow: Readonly<Record<DigitSplit, number>>): ImageSource {
  const loading = new Map<'train' | 'test', ReturnType<typeof readMnist>>();
  const pools = new Map<DigitSplit, ReturnType<typeof digitPool>>();
  return {
    async read(row) {
      const split = row >= firstRow.test ? 'test' : row >= firstRow.validation ? 'validation' : 'train';
      const { part, from, to, code } = handwriting[split];
      const mnist = await (loading.get(part) ?? loading.set(part, readMnist(part)).get(part)!);
      const pool = pools.get(split) ?? digitPool(mnist, from, to);
      pools.set(split, pool);
      const pixels = renderScene(seed, code, row - firstRow[split], mnist, pool);
      return { kind: 'pixels', pixels, width: sceneSide, height: sceneSide, channels: 1 };
    },
    fingerprint: async (row) => `digits 1 ${seed} ${row}`,
    async close() {
      loading.clear();
      pools.clear();
    },
  };
}
