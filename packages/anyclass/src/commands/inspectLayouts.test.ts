import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testFolder } from '../../../files/test/testFolder.js';
import { runInProcess } from '../../test/inProcess.js';
import {
  writeChexpert,
  writeClassFolders,
  writeLabelImg,
  writeMulan,
  writeNih,
  writeOpenImages,
  writeRoboflow,
  writeUltralytics,
  writeVoc,
  writeVocBesideImages,
} from '../../test/labelLayouts.js';
import type { Inspection } from '../inspect/inspection.js';

const folder = testFolder();

async function inspect(...words: string[]): Promise<Inspection> {
  const { status, stdout, stderr } = await runInProcess(folder, ['inspect', ...words, '--json']);
  expect({ status, stderr }).toMatchObject({ status: 0 });
  return JSON.parse(stdout);
}

/** Instances by split (positive, negative, undecided), and examples of each class by split. */
function counts({ splits, classCounts }: Inspection) {
  return {
    splits: Object.fromEntries(
      splits.map(({ split, positive, negative, undecided }) => [split, [positive, negative, undecided]]),
    ),
    classes: Object.fromEntries(
      classCounts.map(({ name, train, validation, test: tested }) => [name, [train, validation, tested]]),
    ),
  };
}

const remarks = ({ problems }: Inspection) =>
  problems.filter(({ kind }) => kind === 'reader').map(({ text, count }) => `${count} ${text}`);

test("Ultralytics' folders: boxes, polygons and confidences are presence; no label file or an empty one is negative", async () => {
  await writeUltralytics(join(folder, 'coco8'));
  for (const spec of ['coco8', 'coco8/data.yaml']) {
    const inspection = await inspect(spec);
    expect(counts(inspection)).toEqual({
      splits: { train: [4, 2, 0], validation: [1, 1, 0], test: [0, 0, 0], all: [5, 3, 0] },
      classes: { person: [2, 0, 0], bicycle: [1, 1, 0], 'traffic light': [2, 1, 0] },
    });
    expect(inspection.images?.examined).toBe(8);
    expect(remarks(inspection)).toEqual([
      expect.stringMatching(/^2 images without a label file: read as negative/),
    ]);
  }
  expect(counts(await inspect('coco8', '--set', 'data.unlabeled=unknown')).splits['all']).toEqual([5, 1, 2]);
});

test("Roboflow's folders, and its paths that start with ../", async () => {
  await writeRoboflow(join(folder, 'pipes'));
  const inspection = await inspect('pipes');
  expect(counts(inspection)).toEqual({
    splits: { train: [2, 1, 0], validation: [1, 0, 0], test: [0, 1, 0], all: [3, 2, 0] },
    classes: { crack: [1, 1, 0], root: [1, 1, 0] },
  });
  expect(inspection.quarantined).toEqual([]);
});

test("LabelImg's classes.txt among the label files", async () => {
  await writeLabelImg(join(folder, 'labelimg'));
  const inspection = await inspect('labelimg');
  expect(counts(inspection).splits['all']).toEqual([4, 2, 0]);
  expect(inspection.classes).toEqual(['dog', 'hot dog']);
  expect(inspection.quarantined).toEqual([]);
});

test('Pascal VOC: the lists are the splits, and a class with only difficult objects is uncertain', async () => {
  await writeVoc(join(folder, 'VOC2007'));
  const inspection = await inspect('VOC2007');
  expect(counts(inspection)).toEqual({
    splits: { train: [3, 0, 0], validation: [2, 0, 0], test: [1, 0, 0], all: [6, 0, 0] },
    classes: {
      aeroplane: [1, 0, 0],
      cat: [0, 0, 1],
      dog: [1, 1, 0],
      person: [2, 0, 0],
      tvmonitor: [0, 1, 0],
    },
  });
  expect(inspection.labelCounts.filter(({ uncertain }) => uncertain > 0)).toEqual([
    { name: 'dog', unknown: 1, uncertain: 1, soft: 0 },
  ]);
  expect(inspection.images?.examined).toBe(6);
  expect(remarks(inspection)).toEqual(['1 annotated image in no list of ImageSets/Main: not used']);
  const difficult = await inspect('VOC2007', '--set', 'data.uncertain=one');
  expect(counts(difficult).classes['dog']).toEqual([2, 1, 0]);
});

test('Pascal VOC: annotations next to their images, one folder per split', async () => {
  await writeVocBesideImages(join(folder, 'voc-export'));
  expect(counts(await inspect('voc-export'))).toEqual({
    splits: { train: [1, 1, 0], validation: [1, 0, 0], test: [1, 0, 0], all: [3, 1, 0] },
    classes: { crack: [1, 1, 0], root: [1, 0, 1] },
  });
});

test('a folder per class, one inside another, negatives, and files that are not images', async () => {
  await writeClassFolders(join(folder, 'folders'));
  const inspection = await inspect('folders');
  expect(counts(inspection)).toEqual({
    splits: { train: [3, 2, 0], validation: [1, 1, 0], test: [0, 0, 0], all: [4, 3, 0] },
    classes: { crack: [2, 1, 0], deep: [1, 0, 0], root: [1, 0, 0] },
  });
  expect(remarks(inspection)).toEqual([
    expect.stringMatching(/^1 class folder within another:/),
    '1 file that is not an image was skipped',
  ]);
  expect((await inspect('folders', '--drop', 'deep')).classes).toEqual(['crack', 'root']);
});

test('Open Images: a row per image and label, verified or not, and unknown where nobody looked', async () => {
  await writeOpenImages(join(folder, 'open-images'));
  const inspection = await inspect('open-images', '--label-column', 'LabelName');
  expect(counts(inspection).splits['all']).toEqual([2, 1, 0]);
  expect(inspection.labelCounts).toEqual([
    { name: '/m/01yrx', unknown: 1, uncertain: 0, soft: 0 },
    { name: '/m/0bt9lr', unknown: 0, uncertain: 0, soft: 1 },
  ]);
});

test('Mulan: labels as its XML lists them, dense and sparse rows, no images', async () => {
  writeMulan(join(folder, 'mulan'));
  const inspection = await inspect('mulan');
  expect(counts(inspection)).toEqual({
    splits: { train: [2, 1, 0], validation: [0, 0, 0], test: [1, 1, 0], all: [3, 2, 0] },
    classes: { Beach: [2, 0, 0], Sunset: [1, 0, 1] },
  });
  expect([inspection.images, inspection.quarantined]).toEqual([undefined, []]);
});

test('CheXpert: what is not mentioned is absent, -1 is read by policy, and a patient stays in one split', async () => {
  await writeChexpert(join(folder, 'CheXpert-v1.0-small'));
  const spec = 'chexpert=CheXpert-v1.0-small';
  const ignored = await inspect(spec);
  expect(counts(ignored).splits).toEqual({
    train: [3, 1, 1],
    validation: [1, 1, 0],
    test: [0, 0, 0],
    all: [4, 2, 1],
  });
  expect(ignored.classes.length).toBe(13);
  expect(counts(ignored).classes).toMatchObject({ Edema: [1, 1, 0], 'Support Devices': [1, 0, 0] });
  expect(ignored.labelCounts.filter(({ uncertain }) => uncertain > 0)).toEqual([
    { name: 'Edema', unknown: 1, uncertain: 1, soft: 0 },
    { name: 'Atelectasis', unknown: 1, uncertain: 1, soft: 0 },
  ]);
  expect(ignored.splits.map(({ groups }) => groups)).toEqual([4, 2, 0, 6]);
  expect(ignored.quarantined).toEqual([]);
  expect(remarks(ignored)).toEqual([expect.stringMatching(/^1 row with 'No Finding' and a finding/)]);
  const policies = { zero: [3, 2, 0], one: [4, 1, 0], '0.6': [4, 1, 0], '0.4': [3, 2, 0] };
  for (const [policy, train] of Object.entries(policies)) {
    const inspection = await inspect(spec, '--no-images', '--set', `data.uncertain=${policy}`);
    expect([policy, counts(inspection).splits['train']]).toEqual([policy, train]);
  }
});

test("NIH's official lists are the test split and the rest, and some patients of the rest form the validation split", async () => {
  await writeNih(join(folder, 'nih'));
  const inspection = await inspect('nih-official=nih');
  expect(inspection.splits.map(({ split, total, groups }) => [split, total, groups])).toEqual([
    ['train', 14, 7],
    ['validation', 2, 1],
    ['test', 4, 2],
    ['all', 20, 10],
  ]);
  expect(counts(inspection).splits['all']).toEqual([12, 8, 0]);
  expect(inspection.quarantined).toEqual([]);
  expect(inspection.problems.filter(({ kind }) => kind === 'group-across-splits')).toEqual([]);
});

test('Pascal VOC 2007 by name has its 20 classes, from the development kit or the folder above it', async () => {
  await writeVoc(join(folder, 'kit', 'VOCdevkit', 'VOC2007'));
  for (const root of ['kit', 'kit/VOCdevkit', 'kit/VOCdevkit/VOC2007']) {
    const inspection = await inspect(`voc2007=${root}`, '--no-images');
    expect(inspection.classes.length).toBe(20);
    expect(counts(inspection).splits).toEqual({
      train: [3, 0, 0],
      validation: [2, 0, 0],
      test: [1, 0, 0],
      all: [6, 0, 0],
    });
  }
});
