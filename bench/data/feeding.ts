// How fast a device is fed: 640x480 photographs to augmented, normalized batches of 256 on the device, decoded each time
// and from the cache, on all cores. For comparison, TResNet-L trains at 2,979 images/s on one H200 when compiled by PyTorch, and at
// 2,143 in eager mode.
//
//     node bench/dist/data/feeding.js cuda

import { execFileSync } from 'node:child_process';
import { linkSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cudaSynchronize, type Device } from '@anyclass/torch';
import {
  createLoader,
  decodedPixels,
  openDataset,
  openPixels,
  type PixelSource,
  prepareCache,
} from 'anyclass/data';
import { augmentations, deviceBatch } from 'anyclass/data/tensors';

const device: Device = process.argv[2] === 'cuda' ? 'cuda' : 'cpu';
const files = 512;
const rowsPerEpoch = device === 'cuda' ? 8192 : 1024;
const format = { width: 224, height: 224, channels: 3 } as const;
const peer = fileURLToPath(new URL('../../data/pillow_peer.py', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'anyclass-feed-'));

try {
  mkdirSync(join(folder, 'images'));
  execFileSync(process.env['PYTHON'] ?? '/usr/bin/python3', [
    peer,
    'make',
    join(folder, 'images'),
    `${files}`,
    '640',
    '480',
  ]);
  // The same few files under many names: everything is in the page cache, so the disk is not measured.
  const rows = Array.from({ length: rowsPerEpoch }, (_, row) => {
    const made = `${String(row % files).padStart(5, '0')}.jpg`;
    linkSync(join(folder, 'images', made), join(folder, 'images', `row-${row}.jpg`));
    return `images/row-${row}.jpg,${row % 2}`;
  });
  writeFileSync(join(folder, 'labels.csv'), ['Filename,x', ...rows].join('\n'));
  const dataset = await openDataset(join(folder, 'labels.csv'), { imageFolder: folder });

  console.log(`${availableParallelism()} cores, to ${device}`);
  const feed = async (pixels: PixelSource, augmented: boolean) => {
    const all = Int32Array.from({ length: rowsPerEpoch }, (_, row) => row);
    const loader = createLoader(dataset, pixels, {
      rows: all,
      batchSize: 256,
      shuffle: true,
    });
    const { mean, std } = dataset.preparation;
    const augmentation = augmented ? augmentations.photograph : undefined;
    let rate = 0;
    for (let epoch = 0; epoch < 3; epoch++) {
      const start = performance.now();
      for await (using batch of loader.epoch(epoch)) {
        const made = deviceBatch(batch, { format, device, mean, std, ...(augmentation && { augmentation }) });
        made.inputs.dispose();
        made.targets.dispose();
      }
      if (device === 'cuda') cudaSynchronize();
      rate = Math.max(rate, rowsPerEpoch / ((performance.now() - start) / 1000));
    }
    return `${Math.round(rate)} images/s`;
  };
  const originals = decodedPixels(dataset.images, format);
  console.log(`decoding JPEG             ${await feed(originals, false)}`);
  console.log(`decoding, augmented       ${await feed(originals, true)}`);
  await originals.close();
  await prepareCache(dataset, { format, folder: join(folder, 'cache') });
  const { pixels } = await openPixels(dataset, format, join(folder, 'cache'));
  console.log(`from the cache            ${await feed(pixels, false)}`);
  console.log(`from the cache, augmented ${await feed(pixels, true)}`);
  await pixels.close();
} finally {
  rmSync(folder, { recursive: true });
}
