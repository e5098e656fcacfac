// A table of 600 scenes in which one label of some scenes is flipped.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { NumpyRandom } from '@anyclass/core';
import { openDataset } from 'anyclass/data';
import sharp from 'sharp';

const scenes = 600;

/** Writes scenes of MNIST's test digits as images and a table; returns the flipped labels as 'image class'. */
export async function flippedScenes(
  folder: string,
  seed: number,
  flips: number,
): Promise<{ readonly dataset: string; readonly flipped: ReadonlySet<string> }> {
  const [dataset, list] = [join(folder, 'labels.csv'), join(folder, 'flipped.json')];
  if (existsSync(list)) return { dataset, flipped: new Set<string>(JSON.parse(readFileSync(list, 'utf8'))) };
  mkdirSync(folder, { recursive: true });
  const { images, labels, classes, splits } = await openDataset('digits', {
    digits: { seed, scenes: { train: 1, validation: 1, test: scenes } },
  });
  const names = classes.map((digit) => `digit ${digit}`);
  const random = new NumpyRandom(seed);
  const chosen = new Set(random.permutation(scenes).slice(0, flips));
  const flipped: string[] = [];
  const table = [['Filename', ...names].join()];
  for (const [i, row] of splits.test.entries()) {
    const image = await images.read(row);
    if (image.kind !== 'pixels') throw new Error('digits are pixels');
    const { pixels, width, height, channels } = image;
    await sharp(pixels, { raw: { width, height, channels } })
      .png()
      .toFile(join(folder, `${i}.png`));
    const cells = classes.map((_, j) => Number(labels.isPresent(row, j)));
    if (chosen.has(i)) {
      const j = random.integer(classes.length);
      cells[j] = 1 - cells[j]!;
      flipped.push(`${i}.png ${names[j]}`);
    }
    table.push([`${i}.png`, ...cells].join());
  }
  await images.close();
  writeFileSync(dataset, `${table.join('\n')}\n`);
  writeFileSync(list, JSON.stringify(flipped));
  return { dataset, flipped: new Set(flipped) };
}
