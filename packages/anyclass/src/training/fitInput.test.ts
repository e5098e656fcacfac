import { expect, test } from 'vitest';
import { validateConfiguration } from '../configuration/validate.js';
import { fitInput, inputFitter } from './fitInput.js';

const configuration = (network: object) => validateConfiguration({ data: { dataset: 'digits' }, network });

test('an input size of fit becomes the one that leaves enough positions, and says why', async () => {
  const remarks: string[] = [];
  const { network } = await fitInput(configuration({ inputSize: 'fit' }), (text) => remarks.push(text));
  expect(network).toEqual({ ...configuration({}).network, inputSize: 160 });
  expect(remarks).toEqual([expect.stringMatching(/^input 160 px: images of 64 px are enlarged: /)]);
});

test('the stride of the network decides, and a size that was given stays', async () => {
  const fit = inputFitter();
  const sizeOf = async (network: object) => (await fit(configuration(network))).network.inputSize;
  expect(await sizeOf({ name: 'tresnet-s', inputSize: 'fit' })).toBe(96);
  expect(await sizeOf({ name: 'vit-b-16', patchSize: 8, inputSize: 'fit' })).toBe(64);
  expect(await sizeOf({ name: 'dinov2-s-14', inputSize: 'fit' })).toBe(224); // the smallest that patches of 14 divide
  expect(await sizeOf({ name: 'maxvit-t', inputSize: 'fit' })).toBe(224); // the smallest that its windows divide
  expect(await sizeOf({ inputSize: 96 })).toBe(96);
});

test('small is the least that leaves enough positions', async () => {
  const sizeOf = async (name: string) =>
    (await fitInput(configuration({ name, inputSize: 'small' }))).network.inputSize;
  expect([await sizeOf('tresnet-s'), await sizeOf('tresnet-m')]).toEqual([64, 128]);
});

test('of images in tiles, the input is that of a tile, at most half of an image: objects are as large in any', async () => {
  const remarks: string[] = [];
  const sizeOf = async (imageSize: number, inputSize: 'fit' | 'small') =>
    (
      await fitInput(configuration({ name: 'tresnet-s', inputSize, tiles: { imageSize } }), (text) =>
        remarks.push(text),
      )
    ).network.inputSize;
  expect([await sizeOf(2048, 'fit'), await sizeOf(2048, 'small'), await sizeOf(160, 'fit')]).toEqual([
    224, 128, 96,
  ]);
  expect(remarks[0]).toBe('input 224 px: each tile leaves 14 by 14 positions');
});
