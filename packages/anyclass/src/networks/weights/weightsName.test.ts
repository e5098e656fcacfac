import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { UserError } from '../../errors/userError.js';
import { networkDefinitions, networkNames } from '../catalog.js';
import { allPublished, ofArchitecture } from './published.js';
import { isWeightsPath, parseWeights } from './weightsName.js';

const hash = 'ab'.repeat(32);

describe('the catalog', () => {
  test('has weights for every network that others published', () => {
    const without = networkNames.filter((name) => !networkDefinitions[name].weights.published?.length);
    // One that only we have, one that nobody published in this form, and those for feature vectors.
    expect(without).toEqual(['tresnet-s', 'maxvit-s', 'linear', 'mlp']);
  });

  test('lists each once, with three means and deviations and a source', () => {
    const all = allPublished().map(({ weights }) => weights);
    expect(new Set(all.map(({ name }) => name)).size).toBe(all.length);
    for (const weights of all) {
      expect(weights.mean.length + weights.std.length, weights.name).toBe(6);
      expect(
        weights.std.every((value) => value > 0),
        weights.name,
      ).toBe(true);
      if ('address' in weights) {
        expect(weights.address).toContain(`-${weights.sha256}.pth`);
        expect(weights.name).toMatch(/^torchvision\//);
      } else expect(weights.repository).toBe(weights.name);
    }
  });

  test('knows the network of a timm architecture', () => {
    expect(ofArchitecture('vit_base_patch16_224')?.network).toBe('vit-b-16');
    expect(ofArchitecture('tresnet_xl')?.network).toBe('tresnet-xl');
    expect(ofArchitecture('resnet1')?.network).toBeUndefined();
    expect(ofArchitecture('')?.network).toBeUndefined();
  });
});

test.each([
  ['timm/tresnet_l.miil_in1k', { kind: 'published', network: 'tresnet-l' }],
  ['torchvision/VIT_B_16.IMAGENET1K_V1', { kind: 'published', network: 'vit-b-16' }],
  ['hf:ada/pipes@main', { kind: 'hub', repository: 'ada/pipes', revision: 'main' }],
  ['hf:ada/pipes@refs/pr/1:deep/model.bin', { kind: 'hub', revision: 'refs/pr/1', file: 'deep/model.bin' }],
  [
    `https://a.example/b.pth#sha256=${hash}`,
    { kind: 'address', address: 'https://a.example/b.pth', sha256: hash },
  ],
  ['runs/sewer', { kind: 'path', path: 'runs/sewer' }],
  ['timm/mine.safetensors', { kind: 'path', path: 'timm/mine.safetensors' }],
  ['./timm/run', { kind: 'path', path: './timm/run' }],
])('%s is understood', (text, expected) => {
  expect(parseWeights(text)).toMatchObject(expected);
  expect(isWeightsPath(text)).toBe(expected.kind === 'path');
});

test.each([
  ['timm/tresnet_l.miil_in1', /did you mean 'timm\/tresnet_l\.miil_in1k'/],
  ['timm/samvit_base_patch16.sa1b', /hf:timm\/samvit_base_patch16\.sa1b@main/],
  ['hf:ada/pipes', /hf:ada\/pipes@main/],
  ['hf:pipes@main', /OWNER\/NAME/],
  ['hf:ada/pipes@main:../token', /'\.\.\/token'/],
  ['hf:ada/..@main', /'ada\/\.\.'/],
  ['https://a.example/b.pth', /#sha256=HASH/],
  ['https://a.example/b.pth#sha256=abcd', /64 digits/],
  [`http://a.example/b.pth#sha256=${hash}`, /https:/],
])('%s is refused with what to write instead', (text, message) => {
  expect(() => parseWeights(text)).toThrow(message);
});

test('every text is parsed or refused with a message, and a path is never changed', () => {
  const prefix = fc.constantFrom('', 'hf:', 'timm/', 'torchvision/', 'https://', 'http:', './', '../');
  fc.assert(
    fc.property(prefix, fc.string(), (start, rest) => {
      const text = start + rest;
      try {
        const name = parseWeights(text);
        if (name.kind === 'path') expect(name.path).toBe(text);
        expect(isWeightsPath(text)).toBe(name.kind === 'path');
      } catch (error) {
        expect(error).toBeInstanceOf(UserError);
        expect(isWeightsPath(text)).toBe(false);
      }
    }),
  );
});
