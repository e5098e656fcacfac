import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { testFolder } from '../../../files/test/testFolder.js';
import { validateConfiguration } from '../configuration/validate.js';
import { fullRun, readBase } from './pilotBase.js';

const folder = testFolder();
const file = (name: string, text: string) => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};

describe('what pilots start from', () => {
  test.each([
    ['a recipe', () => 'quick'],
    ['a configuration', () => file('own.json', '{ "data": { "dataset": "digits" }, "epochs": 3 }')],
    ['a configuration with comments', () => file('why.json', '// mine\n{ "recipe": "quick" }')],
  ])('%s provides its loss', async (_, source) => {
    expect(await readBase(source(), undefined, {})).toMatchObject({
      isConfigured: true,
      configuration: { data: { dataset: 'digits' } },
    });
  });

  test('data gets a suggested configuration, whose loss counts as chosen only if it is set', async () => {
    const scenes = { 'data.digits.scenes': { train: 20, validation: 10, test: 10 } };
    expect(await readBase('digits', undefined, scenes)).toMatchObject({ isConfigured: false });
    const set = { ...scenes, 'loss.name': 'focal' };
    expect(await readBase('digits', undefined, set)).toMatchObject({
      isConfigured: true,
      configuration: { loss: { name: 'focal' } },
    });
  });

  test('COCO annotations count as data, although they are JSON', async () => {
    const annotations = {
      images: [{ id: 1, file_name: 'one.jpg' }],
      annotations: [{ id: 1, image_id: 1, category_id: 1 }],
      categories: [{ id: 1, name: 'cow' }],
    };
    file('one.jpg', '');
    const source = file('instances.json', JSON.stringify(annotations));
    expect(await readBase(source, undefined, {})).toMatchObject({
      isConfigured: false,
      configuration: { data: { dataset: source } },
    });
  });
});

describe('a full run', () => {
  const table = (validation: readonly number[]) => {
    const rows = [1, 0, 1, 0, 1, 0].map((label, i) => `t${i}.png,${label},train`);
    const judged = validation.map((label, i) => `v${i}.png,${label},validation`);
    return file('pipes.csv', ['Filename,crack,split', ...rows, ...judged, ''].join('\n'));
  };
  const run = (validation: readonly number[], subset?: { instances: number }) =>
    fullRun(
      validateConfiguration({
        data: { dataset: table(validation), columns: { split: 'split' }, ...(subset && { subset }) },
        epochs: 7,
      }),
    );

  test('counts the training images', async () => {
    expect(await run([1, 1, 0, 0])).toMatchObject({ train: 6, validation: 4, epochs: 7 });
    expect(await run([1, 1, 0, 0], { instances: 4 })).toMatchObject({ train: 4 });
  });

  test.each([
    ['positive', [1, 0, 0, 0]],
    ['negative', [1, 1, 1, 0]],
  ])('is refused if too few validation images are %s', async (kind, validation) => {
    await expect(run(validation)).rejects.toThrow(new RegExp(`validation has 1 ${kind} images`));
  });
});
