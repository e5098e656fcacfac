import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { defaultPatience } from '@anyclass/files/downloads';
import { writeSafetensors } from '@anyclass/torch';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { testFolder } from '../../../../files/test/testFolder.js';
import { commit, fakeHub, sha256 } from '../../../test/fakeHub.mjs';
import type { DownloadOptions } from '../../hub/download.js';
import { hubSettings } from '../../hub/settings.js';
import { assumedFacts } from './fileFacts.js';
import { findWeights, weightFacts } from './findWeights.js';

const folder = testFolder();
const content = Buffer.from('some weights');
const timm = {
  architecture: 'resnet18',
  pretrained_cfg: { input_size: [3, 160, 160], mean: [0.5, 0.4, 0.3], std: [0.2, 0.2, 0.2] },
};
const files: Record<string, Buffer> = {};
const hub = await fakeHub(files);
afterAll(async () => {
  await hub.close();
});

let options: DownloadOptions;
beforeEach(() => {
  for (const name of Object.keys(files)) delete files[name];
  Object.assign(files, { 'model.safetensors': content, 'config.json': Buffer.from(JSON.stringify(timm)) });
  const home = mkdtempSync(join(folder, 'home-'));
  const environment = { HF_HOME: home, ANYCLASS_HOME: home, HF_ENDPOINT: hub.state.endpoint };
  options = { settings: hubSettings(environment), patience: { ...defaultPatience, firstPause: 1 } };
  hub.state.requests = [];
});

describe('a file on this machine', () => {
  const facts = (name: string, beside: Record<string, unknown>) => {
    const own = mkdtempSync(join(folder, 'model-'));
    for (const [file, json] of Object.entries(beside)) writeFileSync(join(own, file), JSON.stringify(json));
    const path = join(own, name);
    writeFileSync(path, name.endsWith('.safetensors') ? writeSafetensorsBytes() : content);
    return weightFacts(path);
  };
  const writeSafetensorsBytes = () => {
    const path = join(folder, 'empty.safetensors');
    writeSafetensors(path, new Map());
    return readFileSync(path);
  };

  test("has the facts that timm's config.json beside it gives, or its folder", async () => {
    const found = await facts('model.safetensors', { 'config.json': timm });
    expect(found).toEqual({
      network: 'resnet-18',
      inputSize: 160,
      mean: [0.5, 0.4, 0.3],
      std: [0.2, 0.2, 0.2],
    });
  });

  test("has the facts of Hugging Face's preprocessor_config.json beside it", async () => {
    const preprocessor = {
      image_mean: [0.5, 0.5, 0.5],
      image_std: [0.2, 0.3, 0.4],
      size: { height: 224, width: 224 },
    };
    const found = await facts('model.safetensors', { 'preprocessor_config.json': preprocessor });
    expect(found).toMatchObject({ inputSize: 224, mean: [0.5, 0.5, 0.5], std: [0.2, 0.3, 0.4] });
  });

  test('has the facts of the catalog under its published name', async () => {
    expect(await facts('resnet50-11ad3fa6.pth', {})).toMatchObject({ network: 'resnet-50', inputSize: 224 });
  });

  test('otherwise has the mean and deviation of all published weights of the network, if they agree', async () => {
    expect(await facts('best.pth', {})).toMatchObject({});
    expect(assumedFacts('resnet-50', {})).toMatchObject({ std: [0.229, 0.224, 0.225], isAssumed: true });
    expect(assumedFacts('vit-b-16', {})).toEqual({});
    expect(assumedFacts('resnet-50', { mean: [0], std: [1] })).toEqual({ mean: [0], std: [1] });
  });
});

describe('a hub repository', () => {
  test("gives the facts in timm's config.json before any weights are downloaded", async () => {
    expect(await weightFacts('hf:ada/pipes@main', options)).toEqual({
      network: 'resnet-18',
      inputSize: 160,
      mean: [0.5, 0.4, 0.3],
      std: [0.2, 0.2, 0.2],
    });
    expect(hub.state.bytesSent).toBe(0);
    const found = await findWeights('hf:ada/pipes@main', options);
    expect(found).toMatchObject({ name: 'hf:ada/pipes@main', commit, facts: { network: 'resnet-18' } });
  });

  test('gives no facts without config.json, or with one from another library', async () => {
    files['config.json'] = Buffer.from('{"architectures": ["BertModel"], "hidden_size": 768}');
    expect(await weightFacts('hf:ada/bert@main', options)).toEqual({});
    files['config.json'] = Buffer.from('no JSON');
    expect(await weightFacts('hf:ada/broken@main', options)).toEqual({});
    delete files['config.json'];
    expect(await weightFacts('hf:ada/pipes@main', options)).toEqual({});
  });

  test('has its weights in model.safetensors or pytorch_model.bin; otherwise the file must be named', async () => {
    delete files['model.safetensors'];
    files['pytorch_model.bin'] = content;
    expect((await findWeights('hf:ada/pipes@main', options)).path).toMatch(/pytorch_model\.bin$/);
    delete files['pytorch_model.bin'];
    files['deep/best.pth'] = content;
    await expect(findWeights('hf:ada/rails@main', options)).rejects.toThrow(/hf:ada\/rails@main:FILE/);
    expect((await findWeights('hf:ada/rails@main:deep/best.pth', options)).path).toMatch(/deep\/best\.pth$/);
  });
});

test('published weights come from their repository, and their facts from the catalog', async () => {
  const { path, facts } = await findWeights('timm/tresnet_l.miil_in1k', options);
  expect(path).toContain(join('models--timm--tresnet_l.miil_in1k', 'snapshots', commit, 'model.safetensors'));
  expect(facts).toEqual({ network: 'tresnet-l', inputSize: 224, mean: [0, 0, 0], std: [1, 1, 1] });
});

test("timm's EfficientNetV2 brings the padding that its weights were trained with", async () => {
  const options = { padding: 'tensorflow' };
  expect(await weightFacts('timm/tf_efficientnetv2_s.in1k')).toMatchObject({
    network: 'efficientnetv2-s',
    options,
  });
});

test('an address with a hash gives no facts about its images', async () => {
  const name = `${hub.state.storage}/model.safetensors#sha256=${sha256(content)}`;
  expect(await findWeights(name, options)).toMatchObject({ name, facts: {} });
});

describe('a path', () => {
  test('to one of our models gives its network, input size and preprocessing', async () => {
    const run = join(folder, 'run');
    mkdirSync(run);
    const metadata = {
      network: 'vit-b-16',
      networkOptions: JSON.stringify({ inputSize: 96, classes: 3 }),
      model: JSON.stringify({ mean: [0.1], std: [0.9], classes: ['a'] }),
    };
    const weight = { dtype: 'float32', shape: [1], data: new Uint8Array(4) } as const;
    writeSafetensors(join(run, 'model.safetensors'), [['weight', weight]], metadata);
    const facts = { network: 'vit-b-16', inputSize: 96, mean: [0.1], std: [0.9] };
    expect(await findWeights(run, options)).toEqual({
      name: run,
      path: join(run, 'model.safetensors'),
      facts,
    });
    expect(await weightFacts(join(run, 'model.safetensors'), options)).toEqual(facts);
  });

  test('to any other file is used as it is', async () => {
    const file = join(folder, 'theirs.pth');
    writeFileSync(file, content);
    expect(await findWeights(file, options)).toEqual({ name: file, path: file, facts: {} });
  });

  test.each(['model.safetensors.index.json', 'pytorch_model.bin', 'pytorch_model.bin.index.json'])(
    'to a downloaded folder gives its %s',
    async (file) => {
      const downloaded = mkdtempSync(join(folder, 'downloaded-'));
      writeFileSync(join(downloaded, file), content);
      expect((await findWeights(downloaded, options)).path).toBe(join(downloaded, file));
    },
  );

  test('to nothing, or to a folder that is not a finished run, is refused with the path', async () => {
    await expect(findWeights(join(folder, 'nowhere.pth'), options)).rejects.toThrow(
      /nowhere\.pth cannot be read/,
    );
    mkdirSync(join(folder, 'unfinished'));
    await expect(findWeights(join(folder, 'unfinished'), options)).rejects.toThrow(/unfinished: no model/);
  });
});
