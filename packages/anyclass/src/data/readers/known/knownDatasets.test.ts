import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { testFolder } from '../../../../../files/test/testFolder.js';
import { closeDataset, type Dataset } from '../../dataset/dataset.js';
import { openDataset } from '../../openDataset.js';
import { cocoSubsets } from '../coco/cocoSubsets.js';

const shared = resolve(import.meta.dirname, '../../../../../../../shared');
const withoutShared = !existsSync(join(shared, 'data'));
const folder = testFolder();

function countAny(dataset: Dataset, rows: Int32Array): number {
  return rows.filter((row) => dataset.labels.presence(row) === 'positive').length;
}

test('SewerML: 17 classes, VA and ND dropped, negatives from the labels; Defect is only compared', async () => {
  const root = join(folder, 'sewer');
  mkdirSync(root);
  const codes = 'VA,RB,OB,PF,DE,FS,IS,RO,IN,AF,BE,FO,GR,PH,PB,OS,OP,OK,ND';
  const cells = (...present: string[]) =>
    codes
      .split(',')
      .map((code) => (present.includes(code) ? 1 : 0))
      .join(',');
  const table = (...rows: string[]) => [`Filename,WaterLevel,${codes},Defect`, ...rows, ''].join('\n');
  writeFileSync(
    join(root, 'SewerML_Train.csv'),
    table(`a.png,5,${cells('RB', 'OK')},1`, `b.png,0,${cells('VA')},1`, `c.png,0,${cells('ND')},0`),
  );
  writeFileSync(join(root, 'SewerML_Val.csv'), table(`d.png,0,${cells('GR')},1`));
  writeFileSync(join(root, 'SewerML_Test.csv'), 'Filename\ne.png\n');
  const sewer = await openDataset(`sewerml=${root}`);
  expect(sewer.classes.join(' ')).toBe('RB OB PF DE FS IS RO IN AF BE FO GR PH PB OS OP OK');
  expect(sewer.classImportance?.[14]).toBe(0.9009);
  expect([0, 1, 2, 3, 4].map((row) => sewer.labels.presence(row))).toEqual([
    'positive',
    'negative',
    'negative',
    'positive',
    'undecided',
  ]);
  expect([...sewer.splits.validation]).toEqual([3]);
  expect([...sewer.splits.test]).toEqual([4]);
  expect(sewer.remarks).toMatchObject([{ count: 1, examples: ['b.png (SewerML_Train.csv, line 3)'] }]);
});

test('ChestX-ray14: an unknown finding is an error that names the row', async () => {
  const root = join(folder, 'chest');
  mkdirSync(root);
  const header = 'Image Index,Finding Labels,Follow-up #,Patient ID';
  writeFileSync(join(root, 'Data_Entry_2017_v2020.csv'), `${header}\n1.png,Mass|Flu,0,1\n`);
  await expect(openDataset(`chestxray14=${root}`)).rejects.toThrow(
    "Data_Entry_2017_v2020.csv, line 2: unknown label 'Flu'",
  );
});

test('imageFolder, classes, and columns are honored for known datasets, or refused if they do not apply', async () => {
  const root = join(folder, 'elsewhere');
  for (const path of ['tables', 'pictures/train', 'xrays', 'photos/val2017'])
    mkdirSync(join(root, path), { recursive: true });
  const codes = 'RB,OB,PF,DE,FS,IS,RO,IN,AF,BE,FO,GR,PH,PB,OS,OP,OK';
  const cells = (present: string) => codes.split(',').map((code) => Number(code === present));
  writeFileSync(
    join(root, 'tables/SewerML_Train.csv'),
    `photo,pipe,${codes}\n${['RB', 'OK', ''].map((code, i) => `${i}.png,p${i % 2},${cells(code)}`).join('\n')}\n`,
  );
  const sewer = await openDataset(`sewerml=${join(root, 'tables')}`, {
    imageFolder: join(root, 'pictures'),
    imageColumn: 'photo',
    groupColumn: 'pipe',
    classes: ['OK', 'RB'],
  });
  expect(sewer.images.path?.(0)).toBe(join(root, 'pictures/train/0.png'));
  expect(sewer.groups?.names).toEqual(['p0', 'p1']);
  expect([sewer.classes, sewer.classImportance]).toEqual([
    ['OK', 'RB'],
    [0.4396, 1],
  ]);
  expect(sewer.labels.at(0, 1)).toBe(1);

  writeFileSync(
    join(root, 'tables/Data_Entry_2017.csv'),
    `File,Findings,Patient ID\n${Array.from({ length: 8 }, (_, i) => `${i}.png,${i % 2 ? 'Mass' : 'healthy'},${i}`).join('\n')}\n`,
  );
  const chest = await openDataset(`chestxray14=${join(root, 'tables')}`, {
    imageFolder: join(root, 'xrays'),
    imageColumn: 'File',
    labelColumn: 'Findings',
    negativeLabel: 'healthy',
    classes: ['Mass'],
  });
  expect(chest.images.path?.(1)).toBe(join(root, 'xrays/1.png'));
  expect([0, 1].map((row) => chest.labels.at(row, 0))).toEqual([0, 1]);

  const categories = cocoSubsets['coco-animals'].map((name, id) => ({ id, name, supercategory: 'animal' }));
  const images = Array.from({ length: 12 }, (_, id) => ({ id, file_name: `${id}.jpg` }));
  const annotations = images.slice(0, 6).map(({ id }) => ({ image_id: id, category_id: id % 2 }));
  writeFileSync(
    join(root, 'tables/instances_val2017.json'),
    JSON.stringify({ images, annotations, categories }),
  );
  const coco = await openDataset(`coco-animals=${join(root, 'tables')}`, {
    imageFolder: join(root, 'photos'),
    classes: ['cat'],
  });
  expect(coco.images.path?.(3)).toBe(join(root, 'photos/val2017/3.jpg'));
  expect(coco.classes).toEqual(['cat']);
  const refused = openDataset(`coco-animals=${join(root, 'tables')}`, { imageColumn: 'photo' });
  await expect(refused).rejects.toThrow('data.columns.image is set, but does not apply to coco-animals');
  await expect(openDataset('digits', { imageFolder: root })).rejects.toThrow('data.imageFolder is set');
  await expect(openDataset(`sewerml=${join(root, 'tables')}`, { classes: ['XX'] })).rejects.toThrow();
});

test('a small part of COCO whose categories have one image each is split at random, with a remark', async () => {
  const root = join(folder, 'small-coco');
  mkdirSync(root);
  const categories = cocoSubsets['coco-animals'].map((name, id) => ({ id, name, supercategory: 'animal' }));
  const images = Array.from({ length: 20 }, (_, id) => ({ id, file_name: `${id}.jpg` }));
  const annotations = images.slice(0, 3).map(({ id }) => ({ image_id: id, category_id: id }));
  writeFileSync(join(root, 'instances_train2017.json'), JSON.stringify({ images, annotations, categories }));
  const coco = await openDataset(`coco-animals=${root}`);
  const { train, validation, test: tested } = coco.splits;
  expect([train.length, validation.length, tested.length]).toEqual([14, 3, 3]);
  expect(coco.splitOrigin).toBe('at random, 70/15/15, seed 42');
  expect(coco.remarks[0]).toMatchObject({
    text: /split at random/,
    examples: expect.arrayContaining(['bird: 1']),
  });
});

test.skipIf(withoutShared)(
  'ChestX-ray14: the real table splits by patient as specified (needs ../shared)',
  async () => {
    const expected = JSON.parse(readFileSync(join(shared, 'vectors/split_chest.json'), 'utf8'));
    const chest = await openDataset(`chestxray14=${join(shared, 'data/labels')}`);
    for (const [name, rows] of [
      ['train', chest.splits.train],
      ['val', chest.splits.validation],
      ['test', chest.splits.test],
    ] as const) {
      const sorted = Array.from(rows, (row) => chest.names.at(row)).sort();
      expect({
        patients: new Set(rows.map((row) => chest.groups!.codes[row]!)).size,
        images: rows.length,
        anyClass: countAny(chest, rows),
        sha256OfSortedImageNames: createHash('sha256').update(sorted.join('\n')).digest('hex'),
      }).toEqual({
        patients: expected[name].patients,
        images: expected[name].images,
        anyClass: expected[name].anyClass,
        sha256OfSortedImageNames: expected[name].sha256OfSortedImageNames,
      });
    }
  },
);

test.skipIf(withoutShared)(
  'COCO-41 and COCO-animals: the real labels give the specified counts (needs ../shared)',
  async () => {
    const expected = JSON.parse(readFileSync(join(shared, 'vectors/coco_counts.json'), 'utf8'));
    const root = join(folder, 'coco');
    mkdirSync(root);
    writeFileSync(join(root, 'instances_train2017.json'), instancesFromTable());
    const coco = await openDataset(`coco-41=${root}`);
    expect(coco.labels.rows).toBe(expected.total);
    const all = Int32Array.from({ length: coco.labels.rows }, (_, row) => row);
    expect(countAny(coco, all)).toBe(expected.anyClass41);
    const perClass = coco.classes.map((name, j) => [
      name,
      all.filter((row) => coco.labels.at(row, j) === 1).length,
    ]);
    expect(Object.fromEntries(perClass)).toEqual(expected.perClass41);
    const { train, validation, test } = coco.splits;
    expect([train.length, validation.length, test.length]).toEqual([86_300, 18_493, 18_494]);
    expect(countAny(await openDataset(`coco-animals=${root}`), all)).toBe(expected.animalsAny);
  },
);

/** An instances file with one annotation per label of the real table. */
function instancesFromTable(): string {
  const classes = readFileSync(join(shared, 'data/labels/coco80.txt'), 'utf8').trim().split('\n');
  const rows = gunzipSync(readFileSync(join(shared, 'data/labels/coco_labels_123287.csv.gz'))).toString();
  const images: object[] = [];
  const annotations: object[] = [];
  for (const line of rows.trim().split('\n').slice(1)) {
    const [id, , labels] = line.trim().split(',');
    images.push({ id: Number(id), file_name: `${id}.jpg` });
    for (const label of (labels ?? '').split(' ').filter(Boolean)) {
      annotations.push({ image_id: Number(id), category_id: Number(label) });
    }
  }
  const categories = classes.map((name, id) => ({ id, name, supercategory: '' }));
  return JSON.stringify({ images, annotations, categories });
}

test.skipIf(withoutShared)('coco64 and nih128 are read directly from Parquet (needs ../shared)', async () => {
  const coco = await openDataset(join(shared, 'data/coco64/part-*.parquet'), {
    keep: ['coco-animals'],
    draw: { method: 'random' },
  });
  expect(coco.labels.rows).toBe(110_000);
  expect(coco.classes.length).toBe(10);
  const image = await coco.images.read(109_999);
  expect(image.kind === 'encoded' && Buffer.from(image.bytes.subarray(8, 12)).toString()).toBe('WEBP');
  await closeDataset(coco);
  const chest = await openDataset(join(shared, 'data/nih128'));
  const table = await openDataset(`chestxray14=${join(shared, 'data/labels')}`);
  const rowOf = new Map(Array.from({ length: table.names.length }, (_, row) => [table.names.at(row), row]));
  const labelsAt = (dataset: Dataset, row: number) =>
    dataset.classes.filter((_, j) => dataset.labels.at(row, j) === 1).sort();
  expect(chest.labels.rows).toBe(7060);
  for (let row = 0; row < 7060; row += 7) {
    const same = rowOf.get(chest.names.at(row))!;
    expect(labelsAt(chest, row)).toEqual(labelsAt(table, same));
    expect(chest.groups!.names[chest.groups!.codes[row]!]).toBe(
      table.groups!.names[table.groups!.codes[same]!],
    );
  }
  const trainPatients = new Set(chest.splits.train.map((row) => chest.groups!.codes[row]!));
  expect(chest.splits.test.some((row) => trainPatients.has(chest.groups!.codes[row]!))).toBe(false);
  await closeDataset(chest);
});
