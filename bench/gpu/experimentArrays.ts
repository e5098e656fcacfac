// Writes the pixels of coco64 and the labels and splits of examples/paper as plain arrays for experiment.py, so that PyTorch
// trains on the same images.
//
//   node bench/dist/gpu/experimentArrays.js DATA SPLITS ARRAYS [SIZE]      (DATA holds coco64, SPLITS is from examples/paper, ARRAYS a new folder)

import { once } from 'node:events';
import { createWriteStream, mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { finished } from 'node:stream/promises';
import { createLoader, type Dataset, decodedPixels, openDataset } from 'anyclass/data';

const [folder = 'data', splitFolder = 'splits', arrays = 'arrays', size = '64'] = process.argv.slice(2);
const data = join(resolve(folder), 'coco64', 'part-*.parquet');
const format = { width: Number(size), height: Number(size), channels: 3 } as const;

mkdirSync(arrays, { recursive: true });
for (const keep of ['coco-41', 'coco-animals']) {
  const dataset = await openDataset(data, { keep: [keep], splitFolder });
  writeFileSync(join(arrays, `${keep}.u8`), labelsOf(dataset));
  if (keep === 'coco-41') await writeImages(dataset, join(arrays, 'images.u8'));
  for (const [split, rows] of Object.entries(dataset.splits)) {
    writeFileSync(join(arrays, `${split}.i32`), rows);
  }
  await dataset.images.close();
}

function labelsOf({ labels, classes }: Dataset): Uint8Array {
  return Uint8Array.from({ length: labels.rows * classes.length }, (_, i) =>
    Number(labels.isPresent(Math.floor(i / classes.length), i % classes.length)),
  );
}

async function writeImages(dataset: Dataset, path: string): Promise<void> {
  const rows = Int32Array.from({ length: dataset.names.length }, (_, row) => row);
  const pixels = decodedPixels(dataset.images, format);
  const loader = createLoader(dataset, pixels, { rows, batchSize: 500 });
  const file = createWriteStream(path);
  for await (using batch of loader.epoch(0)) {
    if (!file.write(Buffer.from(batch.inputs))) await once(file, 'drain');
  }
  await pixels.close();
  await finished(file.end());
}
