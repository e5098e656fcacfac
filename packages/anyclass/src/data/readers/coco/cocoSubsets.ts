// COCO. Lin et al., "Microsoft COCO: Common Objects in Context", arXiv 1405.0312; the class subsets are those of the
// any-class presence paper, arXiv 2506.05721.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import {
  type Split,
  shuffleSplit,
  stratifiedShuffleSplit,
  type ThreeWaySplit,
  threeWaySplit,
} from '@anyclass/core';
import { counted } from '../../../errors/counted.js';
import { DataError } from '../../../errors/dataError.js';
import { shownPath } from '../../../files/shownPath.js';
import type { DatasetTable, Remark, Splits } from '../../dataset/dataset.js';
import { readCoco } from './coco.js';

/** Class subsets of COCO by name, in COCO's order. */
export const cocoSubsets = {
  'coco-41': words(
    'boat,bird,cat,dog,bottle,fork,knife,spoon,banana,apple,sandwich,orange,broccoli,carrot,hot dog,pizza,donut,cake,' +
      'chair,couch,bed,dining table,toilet,tv,laptop,mouse,remote,keyboard,cell phone,microwave,oven,toaster,sink,' +
      'refrigerator,book,clock,vase,scissors,teddy bear,hair drier,toothbrush',
  ),
  'coco-animals': words('bird,cat,dog,horse,sheep,cow,elephant,bear,zebra,giraffe'),
} as const;

/**
 * Reads a class subset of COCO: train2017 and val2017 merged (those that exist), split 70/15/15 with seed 42,
 * stratified by the category of the first kept annotation.
 *
 * @example
 * (await readCocoSubset('coco-41', 'data/coco')).classes.length // 41
 */
export async function readCocoSubset(
  name: keyof typeof cocoSubsets,
  root: string,
  { imageFolder }: { readonly imageFolder?: string },
): Promise<DatasetTable> {
  const candidates = ['train2017', 'val2017'].map((split) => {
    const file = `instances_${split}.json`;
    return [join(root, 'annotations', file), join(root, file)].find((path) => existsSync(path));
  });
  const paths = candidates.filter((path) => path !== undefined);
  if (paths.length === 0) {
    throw new DataError(
      `${shownPath(root)}: no annotations/instances_train2017.json or instances_val2017.json`,
    );
  }
  const { firstClass, ...table } = await readCoco(paths, {
    classes: cocoSubsets[name],
    ...(imageFolder !== undefined && { imageRoot: imageFolder }),
  });
  const { remarks, ...fixedSplits } = splitByFirstClass(firstClass, table.classes);
  return {
    ...table,
    name,
    fixedSplits,
    remarks: [...table.remarks, ...remarks],
    preparation: {
      channels: 3,
      mean: [0.47, 0.447, 0.408],
      std: [0.233, 0.228, 0.231],
      augmentation: 'photograph',
    },
  };
}

/**
 * 'None' is a separate category and sorts last. If a part of COCO has too few images of a category for
 * stratification, it is split at random.
 */
function splitByFirstClass(
  firstClass: Int32Array,
  classes: readonly string[],
): { readonly splits: Splits; readonly origin: string; readonly remarks: readonly Remark[] } {
  const categories = firstClass.map((first) => (first === -1 ? classes.length : first));
  const halves = { testSize: 0.5, random: 42 };
  if (categories.length < 4)
    throw new DataError(`there are ${counted(categories.length, 'image')}; a split needs at least four`);
  const first = split(categories, { testSize: 0.3, random: 42 });
  const rest =
    first &&
    split(
      first.test.map((row) => categories[row]!),
      halves,
    );
  if (first && rest) {
    const splits = sorted(threeWaySplit(first, () => rest));
    return { splits, origin: 'stratified by the first annotation, 70/15/15, seed 42', remarks: [] };
  }
  const random = threeWaySplit(shuffleSplit(categories.length, { testSize: 0.3, random: 42 }), (rows) =>
    shuffleSplit(rows.length, halves),
  );
  const counts = new Map<number, number>();
  for (const category of categories) counts.set(category, (counts.get(category) ?? 0) + 1);
  const rare = [...counts].sort(([, a], [, b]) => a - b).slice(0, 10);
  const text =
    'images are too few to stratify by the first annotation, as the paper does; split at random, 70/15/15, seed 42';
  const examples = rare.map(([category, count]) => `${classes[category] ?? 'none'}: ${count}`);
  return {
    splits: sorted(random),
    origin: 'at random, 70/15/15, seed 42',
    remarks: [{ text, count: categories.length, examples }],
  };
}

/**
 * A stratified split; undefined if a stratum has one member, or if one side has fewer
 * rows than there are strata.
 */
function split(strata: Int32Array, sizes: { testSize: number; random: number }): Split | undefined {
  try {
    return stratifiedShuffleSplit(strata, sizes);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function sorted({ train, validation, test }: ThreeWaySplit): Splits {
  return {
    train: train.sort(),
    validation: validation.sort(),
    test: test.sort(),
    decision: new Int32Array(0),
  };
}

function words(list: string): readonly string[] {
  return list.split(',');
}
