// The paper's datasets in their authors' layout, with a few small images each: tables in
// `annotations`, images in `images`.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';

const sewerCodes = 'RB,OB,PF,DE,FS,IS,RO,IN,AF,BE,FO,GR,PH,PB,OS,OP,OK'.split(',');
const findings =
  'Infiltration,Effusion,Atelectasis,Nodule,Mass,Pneumothorax,Consolidation,Pleural_Thickening,Cardiomegaly,Emphysema,Edema,Fibrosis,Pneumonia,Hernia'.split(
    ',',
  );

/** SewerML: every other image shows one of the 17 defects, in the benchmark's order; the test table has no labels. */
export async function writeSewerml(root: string): Promise<void> {
  const add = await imageWriter(root);
  const header = ['Filename', 'WaterLevel', 'VA', ...sewerCodes, 'ND', 'Defect'].join(',');
  const table = async (split: string, images: number) => {
    const lines = [header];
    for (let i = 0; i < images; i++) {
      const present = i % 2 === 1 ? ((i - 1) / 2) % sewerCodes.length : -1;
      const cells = sewerCodes.map((_, j) => Number(j === present));
      lines.push(
        [await add(`${split}-${i}.png`, present), 0, 0, ...cells, 0, Number(present >= 0)].join(','),
      );
    }
    writeFileSync(join(root, 'annotations', `SewerML_${split}.csv`), `${lines.join('\n')}\n`);
  };
  await table('Train', 68);
  await table('Val', 34);
  writeFileSync(join(root, 'annotations', 'SewerML_Test.csv'), `Filename\n${await add('Test-0.png', -1)}\n`);
}

/** ChestX-ray14: one image per patient, every other one with a finding. */
export async function writeChestxray14(root: string): Promise<void> {
  const add = await imageWriter(root);
  const lines = ['Image Index,Finding Labels,Follow-up #,Patient ID'];
  for (let i = 0; i < 8 * findings.length; i++) {
    const present = i % 2 === 1 ? ((i - 1) / 2) % findings.length : -1;
    lines.push(`${await add(`${i}.png`, present)},${findings[present] ?? 'No Finding'},0,${i}`);
  }
  writeFileSync(join(root, 'annotations', 'Data_Entry_2017_v2020.csv'), `${lines.join('\n')}\n`);
}

/**
 * COCO: half of the images are negative, and the others show all of `names`. Splits are stratified by the
 * first annotation of each image, which is the same in all of these.
 */
export async function writeCoco(root: string, names: readonly string[]): Promise<void> {
  const add = await imageWriter(root);
  const categories = names.map((name, id) => ({ id, name, supercategory: '' }));
  for (const [split, first, count] of [
    ['train2017', 0, 32],
    ['val2017', 32, 8],
  ] as const) {
    const images = [];
    const annotations = [];
    for (let id = first; id < first + count; id++) {
      images.push({ id, file_name: await add(`${id}.png`, (id % 2) - 1) });
      if (id % 2 === 0) continue;
      for (const category of categories) annotations.push({ image_id: id, category_id: category.id });
    }
    const instances = { images, annotations, categories };
    writeFileSync(join(root, 'annotations', `instances_${split}.json`), JSON.stringify(instances));
  }
}

/**
 * Returns a function that writes an image, with a gray level by class (-1 for none), and returns its name.
 */
async function imageWriter(root: string): Promise<(name: string, shade: number) => Promise<string>> {
  for (const folder of ['annotations', 'images']) mkdirSync(join(root, folder), { recursive: true });
  return async (name, shade) => {
    const gray = 12 * (shade + 2);
    const background = { r: gray, g: gray, b: gray };
    const image = sharp({ create: { width: 16, height: 16, channels: 3, background } });
    await image.png().toFile(join(root, 'images', name));
    return name;
  };
}
