import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { testFolder } from '../../../../../files/test/testFolder.js';
import { writeChestxray14, writeCoco, writeSewerml } from '../../../../test/paperLayouts.js';
import { openDataset } from '../../openDataset.js';
import { cocoSubsets } from '../coco/cocoSubsets.js';

const folder = testFolder();
const at = (name: string) => join(folder, name);

beforeAll(async () => {
  await writeSewerml(at('sewerml'));
  await writeChestxray14(at('chestxray14'));
  await writeCoco(at('coco'), [...new Set(Object.values(cocoSubsets).flat())]);
});

test.each([
  ['sewerml', 'sewerml', 17, { train: 68, validation: 34, test: 1 }],
  ['chestxray14', 'chestxray14', 14, { train: 78, validation: 17, test: 17 }],
  ['coco-41', 'coco', 41, { train: 28, validation: 6, test: 6 }],
  ['coco-animals', 'coco', 10, { train: 28, validation: 6, test: 6 }],
])('%s opens with tables in annotations and one folder of images', async (name, root, classes, sizes) => {
  const dataset = await openDataset(`${name}=${at(root)}`);
  const { train, validation, test: tested } = dataset.splits;
  expect(dataset.classes.length).toBe(classes);
  expect({ train: train.length, validation: validation.length, test: tested.length }).toEqual(sizes);
  const paths = Array.from({ length: dataset.names.length }, (_, row) => dataset.images.path?.(row) ?? '');
  expect(paths.filter((path) => !existsSync(path))).toEqual([]);
  expect(new Set(paths).size).toBe(dataset.names.length);
});

test('a folder without the tables is refused with a message that says where they belong', async () => {
  await expect(openDataset(`sewerml=${at('coco')}`)).rejects.toThrow(/SewerML_Train\.csv.*annotations/);
  await expect(openDataset(`chestxray14=${at('coco')}`)).rejects.toThrow(/Data_Entry_2017.*annotations/);
});
