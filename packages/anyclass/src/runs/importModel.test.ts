import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { randn, saveTensors, zeros } from '@anyclass/torch';
import { expect, test } from 'vitest';
import { testFolder } from '../../../files/test/testFolder.js';
import { createNetwork } from '../networks/createNetwork.js';
import { fillByHash } from '../verify/hashFill.js';
import { readClassList } from './classList.js';
import { importModel } from './importModel.js';
import { loadModel } from './modelFile.js';

const folder = testFolder();
const at = (name: string) => join(folder, name);

const network = createNetwork('tresnet-s', { classes: 3, inputSize: 32 });
fillByHash(network);
network.eval();
const weights = [...network.stateDict()];
const classes = ['crack', 'roots', 'deposit'];

/** A checkpoint as Lightning writes it, with the loss next to the network. */
const checkpoint = at('lightning.safetensors');
saveTensors(checkpoint, [
  ...weights.map(([name, tensor]) => [`model.${name}`, tensor] as const),
  ['criterion.weight', zeros([3])],
]);
const options = { network: 'tresnet-s', classes, inputSize: 32 } as const;

test('a checkpoint becomes a model with its classes and statistics, with the same outputs as the network', () => {
  const statistics = { channels: 1, mean: [0.506], std: [0.23] } as const;
  const report = importModel(checkpoint, { ...options, ...statistics, out: at('model.safetensors') });
  expect(report).toMatchObject({
    prefix: 'model.',
    missing: [],
    freshHead: [],
    unused: ['criterion.weight'],
  });
  const model = loadModel(at('model.safetensors'));
  expect(model.description).toMatchObject({ classes, ...statistics });
  const images = randn([2, 3, 32, 32]);
  expect(model.network.forward(images).equal(network.forward(images))).toBe(true);
});

test('a window and a frame are part of the model', () => {
  const reading = { window: [-160, 240], frame: 'middle' } as const;
  importModel(checkpoint, { ...options, ...reading, out: at('ct.safetensors') });
  expect(loadModel(at('ct.safetensors')).description).toMatchObject(reading);
});

test('a last layer for a different number of classes is refused, with its number of outputs', () => {
  const out = at('other.safetensors');
  expect(() => importModel(checkpoint, { ...options, classes: ['crack', 'roots'], out })).toThrow(
    /has 3 outputs, but 2 classes are given/,
  );
  const headless = at('headless.safetensors');
  saveTensors(
    headless,
    weights.filter(([name]) => !name.startsWith('head.')),
  );
  expect(() => importModel(headless, { ...options, out })).toThrow(/no last layer that fits, but 3 classes/);
});

test('a checkpoint that lacks part of the network is refused, with what is missing', () => {
  const [first, ...rest] = weights;
  const partial = at('partial.safetensors');
  saveTensors(partial, rest);
  expect(() => importModel(partial, { ...options, out: at('never.safetensors') })).toThrow(first![0]);
});

test.each([
  [{ out: 'model.bin' }, 'out'],
  [{ mean: [0.5] }, 'mean'],
  [{ std: [0.2, 0.2, 0] }, 'std'],
] as const)('%j is refused', (wrong, option) => {
  expect(() => importModel(checkpoint, { ...options, out: at('wrong.safetensors'), ...wrong })).toThrow(
    expect.objectContaining({ option }),
  );
});

test('no existing file is replaced, and a missing file is reported', () => {
  writeFileSync(at('here.safetensors'), '');
  expect(() => importModel(checkpoint, { ...options, out: at('here.safetensors') })).toThrow(
    'already exists',
  );
  expect(() => importModel(at('nowhere.pth'), { ...options, out: at('new.safetensors') })).toThrow(
    /nowhere\.pth: no such file/,
  );
});

test('classes are a comma-separated list, lines of a file or a JSON list, without duplicates', () => {
  expect(readClassList('crack, hot dog')).toEqual(['crack', 'hot dog']);
  writeFileSync(at('classes.txt'), 'crack\r\nroots\n');
  expect(readClassList(at('classes.txt'))).toEqual(['crack', 'roots']);
  writeFileSync(at('classes.json'), '["a, b", "c"]');
  expect(readClassList(at('classes.json'))).toEqual(['a, b', 'c']);
  expect(() => readClassList('missing.txt')).toThrow('missing.txt: no such file');
  expect(() => readClassList('a,b,a')).toThrow("class 3 of 'a,b,a': 'a' is already class 1");
  expect(() => readClassList('a,,b')).toThrow('has no name');
  writeFileSync(at('object.json'), '{ "a": 1 }');
  expect(() => readClassList(at('object.json'))).toThrow(/object\.json: expected a JSON list/);
});
