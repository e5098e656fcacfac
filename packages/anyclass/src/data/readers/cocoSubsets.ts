// COCO. Lin et al., "Microsoft COCO: Common Objects in Context", arXiv 1405.0312; the class subsets are those of the
// any-class presence paper, arXiv 2506.05721.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { stratifiedShuffleSplit, threeWaySplit } from '@anyclass/core';
import { DataError } from '../../errors/dataError.js';
import { shownPath } from '../../files/shownPath.js';
import type { DatasetTable, Splits } from '../dataset.js';
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
 * A class subset of COCO: train2017 and val2017 merged (those that are there), split 70/15/15 with seed 42, stratified
 * by the category of the first kept annotation.
 *
 * @example
 * (await readCocoSubset('coco-41', 'data/coco')).classes.length // 41
 */
export async function readCocoSubset(name: keyof typeof cocoSubsets, root: string): Promise<DatasetTable> {
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
  const { firstClass, ...table } = await readCoco(paths, { classes: cocoSubsets[name] });
  return {
    ...table,
    name,
    fixedSplits: {
      splits: splitByFirstClass(firstClass, table.classes.length),
      origin: 'stratified by the first annotation, 70/15/15, seed 42',
    },
    preparation: {
      channels: 3,
      mean: [0.47, 0.447, 0.408],
      std: [0.233, 0.228, 0.231],
      augmentation: 'photograph',
    },
  };
}

/** 'None' is a category of its own and sorts last. */
function splitByFirstClass(firstClass: Int32Array, classes: number): Splits {
  const categories = firstClass.map((first) => (first === -1 ? classes : first));
  const split = threeWaySplit(stratifiedShuffleSplit(categories, { testSize: 0.3, random: 42 }), (rest) =>
    stratifiedShuffleSplit(
      rest.map((row) => categories[row]!),
      { testSize: 0.5, random: 42 },
    ),
  );
  return { train: split.train.sort(), validation: split.validation.sort(), test: split.test.sort() };
}

function words(list: string): readonly string[] {
  return list.split(',');
}
