import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { testFolder } from '../../../files/test/testFolder.js';
import { UsageError } from '../errors/usageError.js';
import { readConfiguration } from '../training/readConfiguration.js';
import { joinedSettings, type Settings, withSettings } from './overrides.js';
import { checkParts, refuseFields } from './parts.js';
import { recipe, recipeFor, recipeNames } from './recipes.js';
import { configurationFields, configurationReference } from './reference.js';
import { validateConfiguration } from './validate.js';

const folder = testFolder();
const file = (name: string, content: string) => {
  writeFileSync(join(folder, name), content);
  return join(folder, name);
};

test('everything but the dataset has a default', () => {
  const configuration = validateConfiguration({ data: { dataset: 'digits' } });
  expect(configuration.loss).toEqual({
    name: 'any-bce',
    alpha: 1,
    lambda: 0.02,
    gamma: 2,
    gammaPositive: 1,
    gammaNegative: 4,
    clip: 0.05,
    beta: null,
    smoothing: 0,
    reduction: 'mean',
  });
  expect(configuration.evaluation.decision).toEqual({
    rule: 'gate',
    per: 'image',
    confidence: 0.95,
    beta: 1,
    candidates: 1,
  });
  expect(configuration.bestBy).toBe('mAP');
});

test.each([
  [{ epoch: 3 }, "epoch: no such field; did you mean 'epochs'?"],
  [{ loss: { lamda: 3 } }, "loss.lamda: no such field; did you mean 'lambda'?"],
  [{ data: { tiles: {} } }, "data.tiles: no such field; did you mean 'network.tiles'?"],
  [{ optimizer: { epochs: 3 } }, "optimizer.epochs: no such field; did you mean 'epochs'?"],
  [{ optimizer: { lr: 1 } }, 'optimizer.lr: no such field; choose one of name, rate, weightDecay'],
  [{ network: { name: 'tresnet-k' } }, `network.name is "tresnet-k"; expected one of tresnet-s, `],
  [{ loss: { lambda: 3 } }, 'loss.lambda is 3; expected at most 1'],
  [{ device: 'gpu' }, 'device is "gpu"; expected auto, cpu, cuda or cuda:N'],
  [
    { augmentation: { flip: 0.5, foo: 1 } },
    'augmentation.foo: no such field; choose one of flip, verticalFlip, rotation',
  ],
  [
    { augmentation: { blur: { probability: 0.5, sigma: [2, 1] } } },
    'augmentation.blur.sigma is [2,1]; expected the smaller number first',
  ],
  [
    { augmentation: { zoom: [1.2, 0.8] } },
    'augmentation.zoom is [1.2,0.8]; expected the smaller number first',
  ],
  [
    { augmentation: { resizedCrop: { scale: [2, 3], ratio: [1, 1] } } },
    'augmentation.resizedCrop.scale.0 is 2; expected at most 1',
  ],
  [
    { network: { tiles: { imageSize: 1e8 } } },
    'network.tiles.imageSize is 100000000; expected at most 16383',
  ],
  [
    { augmentation: { jpeg: { probability: 0.5, quality: [0, 90] } } },
    'augmentation.jpeg.quality.0 is 0; expected at least 1',
  ],
  [{ data: {} }, 'data.dataset is missing'],
])('%j is refused with the field and what it should be', (fields, message) => {
  expect(() => validateConfiguration({ data: { dataset: 'digits' }, ...fields })).toThrow(message);
});

test('all mistakes are reported at once', () => {
  const wrong = { data: { dataset: 'digits' }, epochs: 0, batchSize: 'many' };
  expect(() => validateConfiguration(wrong)).toThrow(/epochs is 0; .*\n.*batchSize is "many"; /);
});

test('a setting changes a single field by its dotted name', () => {
  expect(withSettings({ loss: { name: 'bce' } }, { 'loss.lambda': 0.2, epochs: 3 })).toEqual({
    loss: { name: 'bce', lambda: 0.2 },
    epochs: 3,
  });
  expect(() => withSettings({ epochs: 3 }, { 'epochs.many': 1 })).toThrow("'epochs' has no subfields");
});

test('of settings that are joined, the last value of a field counts, in its place', () => {
  const joined = joinedSettings(
    { 'loss.lambda': 1 },
    undefined,
    { loss: { name: 'bce' } },
    { 'loss.lambda': 2 },
  );
  expect(Object.keys(joined)).toEqual(['loss', 'loss.lambda']);
  expect(withSettings({}, joined)).toEqual({ loss: { name: 'bce', lambda: 2 } });
});

test('null unsets a field that cannot be null, and is a value of the others', () => {
  const given = {
    data: { dataset: 'digits', columns: { group: 'pipe' } },
    network: { tiles: { imageSize: 512 }, inputSize: 32 },
    loss: { beta: 0.9 },
  };
  const nulls = { 'data.columns.group': null, 'network.tiles': null, 'network.inputSize': null };
  const changed = validateConfiguration(withSettings(given, { ...nulls, 'loss.beta': null }));
  expect(changed).toMatchObject({ data: { columns: {} }, network: { inputSize: 224 }, loss: { beta: null } });
  expect(changed.network.tiles).toBeUndefined();
  expect(() => validateConfiguration(withSettings(given, { 'network.tile': null }))).toThrow('network.tile');
});

describe('where only parts of the configuration can be set', () => {
  test.each([
    ['epochs', "'epochs' is not a field of data; only those can be set here"],
    ['imageFolder', "'imageFolder' is not a field of data; did you mean 'data.imageFolder'?"],
    ['data', "'data' is not a field of data"],
    ['database.x', "'database.x' is not a field of data"],
  ])('%s is refused', (field, message) => {
    expect(() => checkParts({ [field]: 1 }, ['data'])).toThrow(UsageError);
    expect(() => checkParts({ [field]: 1 }, ['data'])).toThrow(message);
  });

  test('fields of those parts are accepted, valid or not: the schema checks them', () => {
    checkParts({ 'data.draw.seed': 3, 'data.wrong': 1, 'evaluation.replicates': 0 }, ['data', 'evaluation']);
  });

  test('fields without effect are refused, with all their subfields', () => {
    const refused = () => refuseFields({ 'data.keep': ['a'], 'data.draw.seed': 3 }, ['data.draw'], 'is idle');
    expect(refused).toThrow('data.draw.seed is idle');
    refuseFields({ 'data.drawing': 3 }, ['data.draw'], 'is idle');
  });
});

describe('the recipe fine-tuning', () => {
  const read = (set: Settings) => readConfiguration('fine-tuning', { dataset: 'digits', set });

  test('has the usual rates of the network that the weights belong to; what is set stays', async () => {
    const weights = 'torchvision/convnext_tiny.imagenet1k_v1';
    const { network, optimizer } = await read({ 'network.weights': weights, 'optimizer.rate': 0.004 });
    expect(network).toMatchObject({
      name: 'convnext-t',
      trunkRate: 0.1,
      layerRate: 0.02,
      frozenEpochs: 1,
      stochasticDepth: 0.1,
    });
    expect(optimizer).toMatchObject({ name: 'adamw', rate: 0.004, weightDecay: 0.01 });
    const resnet = await read({ 'network.weights': 'timm/resnet18.a1_in1k' });
    expect(resnet.network).toMatchObject({ name: 'resnet-18', layerRate: 1 });
    const frozen = await read({ 'network.weights': 'timm/resnet18.a1_in1k', 'network.freezeTrunk': true });
    expect(frozen.network.frozenEpochs).toBe(0);
  });

  test('asks for weights, and for the network if they do not say', async () => {
    await expect(read({})).rejects.toThrow('network.weights is missing');
    const file = import.meta.filename;
    await expect(read({ 'network.weights': file })).rejects.toThrow('do not say which network');
  });
});

test('every recipe is valid, and the paper’s recipes follow its table', async () => {
  for (const name of recipeNames) {
    const set = name === 'fine-tuning' ? { 'network.weights': 'timm/resnet18.a1_in1k' } : {};
    await readConfiguration(name, { dataset: 'digits', set });
  }
  const convolutional = await readConfiguration('paper/coco-animals/tresnet-l', {
    dataset: 'coco-animals=x',
  });
  expect(convolutional).toMatchObject({
    epochs: 40,
    batchSize: 256,
    loss: { lambda: 0.2 },
    optimizer: { name: 'sgd', rate: 0.1, weightDecay: 1e-4 },
    schedule: { name: 'steps', milestones: [20, 30], factor: 0.01 },
  });
  const chest = await readConfiguration('paper/chestxray14/maxvit-s', { dataset: 'chestxray14=x' });
  expect(chest.optimizer).toMatchObject({ name: 'adamw', rate: 1e-4, weightDecay: 0.05 });
  const sewer = await readConfiguration('paper/sewerml/maxvit-s', { dataset: 'sewerml=x' });
  for (const { optimizer, schedule } of [chest, sewer]) {
    expect(schedule.warmUpEpochs).toBe(5);
    expect((optimizer.rate ?? 0) * schedule.warmUpFactor).toBeCloseTo(1e-5, 12);
  }
});

test('a recipe of the paper requires the data', async () => {
  await expect(readConfiguration('paper/sewerml/vit-b-16')).rejects.toThrow(
    'paper/sewerml/vit-b-16: data.dataset is missing',
  );
});

test('each network of the paper has its own recipe on each dataset', () => {
  expect(recipeFor('paper/sewerml/tresnet-l', { network: 'maxvit-s' })).toBe('paper/sewerml/maxvit-s');
  expect(recipeFor('paper/sewerml/tresnet-l', { dataset: 'coco-animals=x' })).toBe(
    'paper/coco-animals/tresnet-l',
  );
  expect(recipeFor('paper/sewerml/tresnet-l', { dataset: 'my.csv' })).toBe('paper/sewerml/tresnet-l');
  expect(recipeFor('quick', { dataset: 'coco-41=x', network: 'tresnet-m' })).toBe('quick');
  expect(() => recipeFor('paper/sewerml/tresnet-l', { network: 'tresnet-m' })).toThrow(
    /none for tresnet-m.*network\.name=tresnet-m/,
  );
});

test('a recipe of the paper is refused for a network or dataset that has its own recipe', async () => {
  const dataset = 'sewerml=x';
  const read = (set: Settings, source = 'paper/sewerml/tresnet-l') =>
    readConfiguration(source, { dataset, set });
  await expect(read({ 'network.name': 'maxvit-s' })).rejects.toThrow('paper/sewerml/maxvit-s');
  await expect(read({ 'data.dataset': 'coco-41=x' })).rejects.toThrow('paper/coco-41/tresnet-l');
  expect((await read({ 'network.name': 'tresnet-s' })).optimizer.name).toBe('sgd');
  const built = file('built.json', '{ "recipe": "paper/sewerml/tresnet-l" }');
  await expect(read({ 'network.name': 'vit-b-16' }, built)).rejects.toThrow(
    /built\.json builds on paper\/sewerml\/tresnet-l.*paper\/sewerml\/vit-b-16/,
  );
  const own = { recipe: 'paper/sewerml/tresnet-l', network: { name: 'vit-b-16' } };
  expect((await read({}, file('own.json', JSON.stringify(own)))).network.name).toBe('vit-b-16');
});

test('a file without data has its other mistakes reported too', async () => {
  await expect(readConfiguration(file('misspelled.json', '{ "epoch": 3 }'))).rejects.toThrow(
    /misspelled.json: data.dataset is missing. Also:\n {2}epoch: .*did you mean 'epochs'\?$/,
  );
  await expect(readConfiguration(file('text.json', '{ "data": "digits" }'))).rejects.toThrow(
    'data is "digits"; expected an object',
  );
});

test('a message mentions the options only if they caused the mistake', async () => {
  const path = file('right.json', '{ "data": { "dataset": "digits" } }');
  await expect(readConfiguration(path, { set: { 'loss.name': 'foo' } })).rejects.toThrow(
    /^Invalid configuration in .*right.json with the given options:\n {2}loss.name is "foo"; /,
  );
  const wrong = file('wrong.json', '{ "data": { "dataset": "digits" }, "epochs": 0 }');
  await expect(readConfiguration(wrong, { set: { seed: 1 } })).rejects.toThrow(
    /^Invalid configuration in .*wrong.json:\n/,
  );
});

test('missing weights are reported before anything starts', async () => {
  await expect(readConfiguration('quick', { set: { 'network.weights': 'nowhere.pth' } })).rejects.toThrow(
    'network.weights nowhere.pth cannot be read: no such file or folder',
  );
});

test('a misspelled recipe gets a suggestion', async () => {
  await expect(readConfiguration('quik')).rejects.toThrow("did you mean the recipe 'quick'?");
});

test('files may be JSON or modules, and build on a recipe', async () => {
  const json = file('a.json', '{ "recipe": "quick", "network": { "inputSize": 32 } }');
  expect((await readConfiguration(json)).network).toMatchObject({ name: 'tresnet-s', inputSize: 32 });
  const module = file('a.mjs', "export default { data: { dataset: 'digits' }, seed: 5 };");
  expect((await readConfiguration(module)).seed).toBe(5);
});

test('JSON may have comments, but not inside strings', async () => {
  const text =
    '// why\n{ "recipe": "quick", /* "epochs": 9, */ "epochs": 3, "data": { "dataset": "digits//1" } }';
  for (const name of ['why.json', 'why.jsonc']) {
    const { epochs, data } = await readConfiguration(file(name, text));
    expect(epochs).toBe(3);
    expect(data.dataset).toMatch(/digits\/+1$/);
  }
});

test.each([
  ['broken.json', '{ "epochs": }', 'broken.json: '],
  ['list.json', '[1]', 'expected an object'],
  ['empty.mjs', 'export const a = 1;', "no default export; write 'export default defineConfig"],
  ['base.json', '{ "recipe": "slow" }', 'recipe: no such recipe "slow"'],
  ['config.yaml', 'epochs: 3', 'expected a .json, .jsonc, .mjs or .ts file'],
])('%s is refused with its name', async (name, content, message) => {
  await expect(readConfiguration(file(name, content))).rejects.toThrow(message);
});

test.skipIf(Boolean(Reflect.get(process.features, 'typescript')))(
  'a TypeScript file is refused with advice if Node cannot run it',
  async () => {
    const typed = file('a.ts', 'export default { data: { dataset: "digits" } };');
    await expect(readConfiguration(typed)).rejects.toThrow('write the configuration as .mjs or .json');
  },
);

test('every field has a description, and the page in docs lists all of them', () => {
  expect(configurationFields().filter(({ description }) => description === '')).toEqual([]);
  const page = readFileSync(new URL('../../../../docs/configuration.md', import.meta.url), 'utf8');
  expect(page).toContain(configurationReference());
});

test('the paper’s recipes balance the classes; the strong recipe does not', () => {
  const lossOf = (name: string) =>
    validateConfiguration({ ...recipe(name), data: { dataset: 'digits' } }).loss;
  expect(lossOf('paper/coco-41/tresnet-l')).toMatchObject({ beta: 0.9999, reduction: 'batch' });
  expect(lossOf('strong')).toMatchObject({ name: 'any-bce', lambda: 0.02, beta: null, reduction: 'mean' });
});
