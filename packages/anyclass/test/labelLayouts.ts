// Public layouts of labels with a few small images each, as written by the programs and
// archives they are named after.

import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import sharp from 'sharp';
import type { Dataset } from '../src/data/dataset/dataset.js';

/** Returns a function that writes a file below a folder and creates the folders above it. */
export function fileWriter(root: string): (name: string, content: string | Buffer) => void {
  return (name, content) => {
    const path = join(root, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
  };
}

/** A small image, different for each number. */
async function picture(number: number): Promise<Buffer> {
  const background = { r: (number * 53) % 256, g: (number * 97) % 256, b: (number * 151) % 256 };
  return sharp({ create: { width: 12, height: 8, channels: 3, background } })
    .png()
    .toBuffer();
}

const box = '0.5 0.5 0.25 0.125';

/**
 * Ultralytics: folders of images and labels per split, numbered names; two images have no label
 * file, one has an empty one.
 */
export async function writeUltralytics(root: string): Promise<void> {
  const write = fileWriter(root);
  write(
    'data.yaml',
    'path: .\ntrain: images/train2017\nval: images/val2017\n\nnames:\n  0: person\n  1: bicycle # two wheels\n  2: traffic light\n',
  );
  const labels: Readonly<Record<string, string | undefined>> = {
    'train2017/0': `0 ${box}\n2 ${box}\n0 ${box}\n`,
    'train2017/1': `1 ${box}\n`,
    'train2017/2': '',
    'train2017/3': undefined,
    'train2017/4': `2 0.1 0.1 0.2 0.1 0.2 0.2\n`,
    'train2017/5': `0 ${box} 0.9`,
    'val2017/6': `1 ${box}\n2 ${box}\n`,
    'val2017/7': undefined,
  };
  for (const [i, [name, text]] of Object.entries(labels).entries()) {
    write(`images/${name}.png`, await picture(i));
    if (text !== undefined) write(`labels/${name}.txt`, text);
  }
}

/** Roboflow: a folder per split with images and labels in it, and paths that start with `../`. */
export async function writeRoboflow(root: string): Promise<void> {
  const write = fileWriter(root);
  write(
    'data.yaml',
    "train: ../train/images\nval: ../valid/images\ntest: ../test/images\n\nnc: 2\nnames: ['crack', 'root']\n\nroboflow:\n  version: 3\n",
  );
  for (const [i, [split, text]] of [
    ['train', `0 ${box}`],
    ['train', `1 ${box}`],
    ['train', ''],
    ['valid', `0 ${box}\n1 ${box}`],
    ['test', ''],
  ].entries()) {
    write(`${split}/images/${i}_png.rf.0a1b.png`, await picture(i));
    write(`${split}/labels/${i}_png.rf.0a1b.txt`, text!);
  }
}

/** LabelImg in YOLO's format: label files and classes.txt in one folder. */
export async function writeLabelImg(root: string): Promise<void> {
  const write = fileWriter(root);
  write('labels/classes.txt', 'dog\nhot dog\n');
  for (let i = 0; i < 6; i++) {
    write(`images/${i}.png`, await picture(i));
    if (i < 4) write(`labels/${i}.txt`, `${i % 2} ${box}\n`);
  }
}

/** A Pascal VOC annotation; names that end in `*` are difficult objects. */
export function vocXml(file: string, objects: readonly string[]): string {
  const parts = objects.map((name) => {
    const difficult = name.endsWith('*') ? 1 : 0;
    return `\t<object>
\t\t<name>${name.replace('*', '')}</name>
\t\t<pose>Unspecified</pose>
\t\t<truncated>0</truncated>
\t\t<difficult>${difficult}</difficult>
\t\t<bndbox><xmin>1</xmin><ymin>1</ymin><xmax>8</xmax><ymax>6</ymax></bndbox>
\t\t<part><name>head</name><bndbox><xmin>1</xmin><ymin>1</ymin><xmax>2</xmax><ymax>2</ymax></bndbox></part>
\t</object>\n`;
  });
  return `<annotation>\n\t<folder>VOC2007</folder>\n\t<filename>${file}</filename>\n\t<size><width>12</width><height>8</height><depth>3</depth></size>\n${parts.join('')}</annotation>\n`;
}

/** Pascal VOC's development kit: one image in no list, and one whose only dog is difficult. */
export async function writeVoc(root: string): Promise<void> {
  const write = fileWriter(root);
  const objects: readonly (readonly string[])[] = [
    ['person', 'dog'],
    ['aeroplane'],
    ['person', 'person*', 'dog*'],
    ['tvmonitor'],
    ['dog', 'dog*'],
    ['cat'],
    ['cat*'],
  ];
  for (const [i, names] of objects.entries()) {
    const id = String(i).padStart(6, '0');
    write(`Annotations/${id}.xml`, vocXml(`${id}.jpg`, names));
    write(`JPEGImages/${id}.jpg`, await picture(i));
  }
  write('SegmentationClass/000000.png', await picture(0));
  write('ImageSets/Main/train.txt', '000000\n000001\n000002\n');
  write('ImageSets/Main/val.txt', '000003\n000004\n');
  write('ImageSets/Main/trainval.txt', '000000\n000001\n000002\n000003\n000004\n');
  write('ImageSets/Main/test.txt', '000005\n');
  write('ImageSets/Main/dog_train.txt', '000000  1\n000001 -1\n000002  0\n');
}

/** Roboflow's export in Pascal VOC's format: images and annotations together, a folder per split. */
export async function writeVocBesideImages(root: string): Promise<void> {
  const write = fileWriter(root);
  for (const [i, [split, ...names]] of [
    ['train', 'crack', 'root'],
    ['train'],
    ['valid', 'crack'],
    ['test', 'root', 'root'],
  ].entries()) {
    write(`${split}/${i}.jpg`, await picture(i));
    write(`${split}/${i}.xml`, vocXml(`${i}.jpg`, names));
  }
}

/** torchvision's ImageFolder, with nested folders, negatives, and files that are not images. */
export async function writeClassFolders(root: string): Promise<void> {
  const write = fileWriter(root);
  for (const [i, name] of [
    'train/crack/0.png',
    'train/crack/deep/1.png',
    'train/root/2.png',
    'train/negative/3.png',
    'train/negative/4.png',
    'val/crack/5.png',
    'val/negative/6.png',
  ].entries()) {
    write(name, await picture(i));
  }
  write('train/crack/Thumbs.db', 'no image');
  write('.DS_Store', 'no image');
}

/** Open Images: one row per image and label, verified as present or absent. */
export async function writeOpenImages(root: string): Promise<void> {
  const write = fileWriter(root);
  write(
    'labels.csv',
    [
      'ImageID,Source,LabelName,Confidence',
      '0.png,verification,/m/01yrx,1',
      '0.png,verification,/m/0bt9lr,0',
      '1.png,verification,/m/01yrx,0',
      '1.png,verification,/m/0bt9lr,0',
      '2.png,machine,/m/0bt9lr,0.7',
      '',
    ].join('\n'),
  );
  for (let i = 0; i < 3; i++) write(`images/${i}.png`, await picture(i));
}

/** Mulan: attributes and labels in one table, the labels listed in XML. The second file is sparse. */
export function writeMulan(root: string): void {
  const write = fileWriter(root);
  const header =
    "@relation 'scenes of the coast'\n\n% two features\n@attribute brightness numeric\n@attribute 'blue share' REAL\n@attribute Beach {0,1}\n@attribute Sunset {0,1}\n\n@data\n";
  write(
    'coast.xml',
    '<?xml version="1.0" encoding="utf-8"?>\n<labels xmlns="http://mulan.sourceforge.net/labels">\n<label name="Beach"></label>\n<label name="Sunset"></label>\n</labels>\n',
  );
  write('coast-train.arff', `${header}0.5,0.25,1,0\n0.75,?,0,0\n1e-3,0,1,1\n`);
  write('coast-test.arff', `${header}{0 0.5, 3 1}\n{}\n`);
}

const chexpertColumns =
  'No Finding,Enlarged Cardiomediastinum,Cardiomegaly,Lung Opacity,Lung Lesion,Edema,Consolidation,Pneumonia,Atelectasis,Pneumothorax,Pleural Effusion,Pleural Other,Fracture,Support Devices';

/** CheXpert: paths that start with the archive's name; findings that are not mentioned have empty cells. */
export async function writeChexpert(root: string): Promise<void> {
  const write = fileWriter(root);
  const names = chexpertColumns.split(',');
  const rows: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
    ['train/patient00001/study1/view1_frontal', { 'No Finding': '1.0', 'Support Devices': '1.0' }],
    ['train/patient00002/study2/view1_frontal', { Edema: '-1.0', Fracture: '0.0' }],
    ['train/patient00002/study2/view2_lateral', { Edema: '1.0', Atelectasis: '-1.0' }],
    ['train/patient00003/study1/view1_frontal', { 'No Finding': '1.0' }],
    ['train/patient00004/study1/view1_frontal', { 'No Finding': '1.0', Pneumonia: '1.0' }],
    ['valid/patient64541/study1/view1_frontal', { Edema: '1.0' }],
    ['valid/patient64542/study1/view1_frontal', { 'No Finding': '1.0' }],
  ];
  const lines = { train: [] as string[], valid: [] as string[] };
  for (const [i, [path, findings]] of rows.entries()) {
    write(`${path}.jpg`, await picture(i));
    const cells = names.map((name) => findings[name] ?? '');
    const split = path.startsWith('train') ? 'train' : 'valid';
    lines[split].push(`CheXpert-v1.0-small/${path}.jpg,Female,68,Frontal,AP,${cells.join(',')}`);
  }
  const header = `Path,Sex,Age,Frontal/Lateral,AP/PA,${chexpertColumns}`;
  for (const split of ['train', 'valid'] as const) {
    write(`${split}.csv`, `${[header, ...lines[split]].join('\n')}\n`);
  }
}

/**
 * ChestX-ray14 as NIH publishes it: the table, the lists of the official split, and
 * images in numbered folders.
 */
export async function writeNih(root: string): Promise<void> {
  const write = fileWriter(root);
  const findings = ['No Finding', 'Mass', 'Effusion|Nodule', 'No Finding', 'Hernia'];
  const lines = ['Image Index,Finding Labels,Follow-up #,Patient ID'];
  const names = Array.from({ length: 20 }, (_, i) => `0000000${String(i).padStart(2, '0')}_000.png`);
  for (const [i, name] of names.entries()) {
    write(`images_${i < 10 ? '001' : '002'}/images/${name}`, await picture(i));
    lines.push(`${name},${findings[i % 5]},${i % 2},${Math.floor(i / 2)}`);
  }
  write('Data_Entry_2017_v2020.csv', `${lines.join('\n')}\n`);
  write('train_val_list.txt', `${names.slice(0, 16).join('\n')}\n`);
  write('test_list.txt', names.slice(16).join('\n'));
}

/** Returns a function that writes a new folder with some files; images are empty files. */
export function treeWriter(folder: string): (files: Readonly<Record<string, string>>) => string {
  let made = 0;
  return (files) => {
    const root = join(folder, `tree-${made++}`);
    const write = fileWriter(root);
    mkdirSync(root);
    for (const [name, text] of Object.entries(files)) write(name, text);
    return root;
  };
}

export function presentByName({ names, classes, labels }: Dataset): Record<string, string[]> {
  return Object.fromEntries(
    Array.from({ length: names.length }, (_, row) => [
      names.at(row),
      classes.filter((_, j) => labels.isPresent(row, j)),
    ]),
  );
}
