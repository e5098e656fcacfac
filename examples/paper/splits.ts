// Writes the split of coco64 that PyTorch's results in bench/RESULTS.md use: NumPy's
// RandomState(42).permutation over the sorted names, 70/15/15.
//
//   node examples/dist/paper/splits.js 'DATA/coco64/part-*.parquet' FOLDER

import { NumpyRandom } from '@anyclass/core';
import { openDataset, saveSplits } from 'anyclass/data';

const [data, folder] = process.argv.slice(2);
if (data === undefined || folder === undefined) throw new Error('splits.js takes DATA and FOLDER');

const { names, images } = await openDataset(data, { draw: { method: 'random' } });
const byName = Array.from({ length: names.length }, (_, row) => ({ row, name: names.at(row) }));
byName.sort((a, b) => (a.name < b.name ? -1 : 1));
const order = new NumpyRandom(42).permutation(names.length);
const rows = Int32Array.from(order, (place) => byName[place]!.row);
const training = Math.round(0.7 * names.length);
const validation = training + Math.round(0.15 * names.length);
const splits = {
  train: rows.slice(0, training),
  validation: rows.slice(training, validation),
  test: rows.slice(validation),
};
await saveSplits(splits, names, folder);
await images.close();
