import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { expect, test } from 'vitest';
import { testFolder } from '../../../files/test/testFolder.js';
import { type FittingFacts, fittingNetworks, networksFor } from './fittingNetworks.js';

const facts: FittingFacts = {
  trainingRows: 50_000,
  classes: 10,
  inputSize: 224,
  isGray: false,
  hasGpu: true,
};
const namesFor = (changes: Partial<FittingFacts>) =>
  networksFor({ ...facts, ...changes }).map(({ name }) => name);

test.each([
  ['many photographs and a GPU', {}, ['tresnet-l', 'convnext-t', 'dinov3-b-16']],
  ['few photographs', { trainingRows: 300 }, ['dinov2-s-14-reg', 'tresnet-l', 'convnext-t']],
  ['no GPU', { hasGpu: false }, ['mobilenetv3-l', 'resnet-18', 'efficientnetv2-s']],
  ['gray images', { isGray: true }, ['densenet-121', 'tresnet-l', 'convnext-t']],
  ['small images', { inputSize: 64 }, ['tresnet-s', 'resnet-18', 'vit-s-16']],
  ['features', { inputSize: undefined }, ['mlp', 'linear']],
] as const)('%s', (_, changes, names) => {
  expect(namesFor(changes)).toEqual(names);
});

test('reasons have numbers: cells, parameters, cost, and weights to start from', () => {
  const [first] = networksFor({ ...facts, trainingRows: 300 });
  expect(first?.reasons.join('; ')).toMatch(/300 training images.*224 px .* 16 cells a side.*21\.6 million/);
  expect(first?.weights).toBe('timm/vit_small_patch14_reg4_dinov2.lvd142m');
});

test('a dataset is examined: the digits are small', async () => {
  const found = await fittingNetworks('digits', { hasGpu: false });
  expect(found.networks.map(({ name }) => name)).toContain('tresnet-s');
  expect(found.classes).toBe(6);
});

test.each([
  ['without color, stored as RGB', [90, 90, 91], true],
  ['of any color', [90, 90, 110], false],
] as const)('images %s', async (_, [r, g, b], isGray) => {
  const folder = testFolder();
  const create = { width: 130, height: 130, channels: 3, background: { r, g, b } } as const;
  for (const label of ['a', 'b']) {
    mkdirSync(join(folder, label));
    for (let i = 0; i < 6; i++)
      await sharp({ create })
        .jpeg()
        .toFile(join(folder, label, `${i}.jpg`));
  }
  const { networks } = await fittingNetworks(folder, { hasGpu: false });
  expect(networks.map(({ name }) => name).includes('densenet-121')).toBe(isGray);
});
