import { type Dataset, splitNames } from '../data/dataset/dataset.js';
import type { FoundImage } from './inspection.js';

/**
 * Returns a function that describes an image by its name, split, and labels.
 *
 * @example
 * foundImages(dataset)(3) // { row: 3, name: '3.png', split: 'test', labels: ['crack'] }
 */
export function foundImages({
  names,
  classes,
  labels,
  splits,
}: Pick<Dataset, 'names' | 'classes' | 'labels' | 'splits'>): (row: number) => FoundImage {
  const splitOf = new Int8Array(names.length).fill(-1);
  splitNames.forEach((split, s) => {
    for (const row of splits[split]) splitOf[row] = s;
  });
  return (row) => ({
    row,
    name: names.at(row),
    split: splitNames[splitOf[row]!],
    labels: classes.filter((_, j) => labels.isPresent(row, j)),
  });
}
