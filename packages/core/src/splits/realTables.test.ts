import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { readVectors, sharedLabels } from '../../test/files.js';
import { shuffleSplit } from './shuffleSplit.js';
import { stratifiedShuffleSplit } from './stratifiedShuffleSplit.js';
import { threeWaySplit } from './threeWaySplit.js';

const chestTable = sharedLabels('Data_Entry_2017_v2020.csv.gz');
const cocoTable = sharedLabels('coco_labels_123287.csv.gz');
const cocoNames = sharedLabels('coco80.txt');

interface ChestPart {
  readonly patients: number;
  readonly images: number;
  readonly anyClass: number;
  readonly negative: number;
  readonly firstPatients: number[];
  readonly sha256OfSortedImageNames: string;
}

test.skipIf(chestTable === undefined)(
  'ChestX-ray14 splits by patient into the published parts (needs the label table)',
  () => {
    const expected: Record<'train' | 'val' | 'test', ChestPart> = readVectors('split_chest.json');
    const rows = tableRows(chestTable!).map(([image = '', findings, , patient]) => ({
      image,
      anyClass: findings !== 'No Finding',
      patient: Number(patient),
    }));
    const patients = [...new Set(rows.map((row) => row.patient))];
    const split = threeWaySplit(shuffleSplit(patients.length, { testSize: 0.3, random: 42 }), (rest) =>
      shuffleSplit(rest.length, { testSize: 0.5, random: 42 }),
    );
    const describePart = (indices: Int32Array): ChestPart => {
      const drawn = Array.from(indices, (index) => patients[index]!);
      const members = new Set(drawn);
      const images = rows.filter((row) => members.has(row.patient));
      const names = images.map((row) => row.image).sort();
      return {
        patients: drawn.length,
        images: images.length,
        anyClass: images.filter((row) => row.anyClass).length,
        negative: images.filter((row) => !row.anyClass).length,
        firstPatients: drawn.slice(0, 10),
        sha256OfSortedImageNames: createHash('sha256').update(names.join('\n')).digest('hex'),
      };
    };
    expect(describePart(split.train)).toEqual(expected.train);
    expect(describePart(split.validation)).toEqual(expected.val);
    expect(describePart(split.test)).toEqual(expected.test);
  },
);

test.skipIf(cocoTable === undefined || cocoNames === undefined)(
  'the COCO table has 65,226 images with one of the 41 classes and 58,061 without (needs the label table)',
  () => {
    const expected: {
      total: number;
      anyClass41: number;
      animalsAny: number;
      perClass41: Record<string, number>;
    } = readVectors('coco_counts.json');
    const names = readFileSync(cocoNames!, 'utf8').trim().split('\n');
    const images = tableRows(cocoTable!).map(([, , labels = '']) =>
      labels.split(' ').flatMap((index) => (index === '' ? [] : [names[Number(index)]!])),
    );
    const withAny = (classes: readonly string[]) =>
      images.filter((labels) => labels.some((label) => classes.includes(label))).length;
    const classes41 = Object.keys(expected.perClass41);
    const animals = ['bird', 'cat', 'dog', 'horse', 'sheep', 'cow', 'elephant', 'bear', 'zebra', 'giraffe'];
    const perClass = classes41.map((name) => [name, withAny([name])]);
    expect(images.length).toBe(expected.total);
    expect(withAny(classes41)).toBe(65226);
    expect(images.length - withAny(classes41)).toBe(58061);
    expect(Object.fromEntries(perClass)).toEqual(expected.perClass41);
    expect(withAny(animals)).toBe(expected.animalsAny);

    // The published sizes. Which image goes where depends on the order of annotations, which the table does not have.
    const strata = images.map((labels) => classes41.findIndex((name) => labels.includes(name)));
    const split = threeWaySplit(stratifiedShuffleSplit(strata, { testSize: 0.3, random: 42 }), (rest) =>
      stratifiedShuffleSplit(
        rest.map((image) => strata[image]!),
        { testSize: 0.5, random: 42 },
      ),
    );
    expect([split.train.length, split.validation.length, split.test.length]).toEqual([86300, 18493, 18494]);
    const anyIn = (part: Int32Array) => part.filter((image) => strata[image]! >= 0).length;
    expect([anyIn(split.train), anyIn(split.validation), anyIn(split.test)]).toEqual([45658, 9784, 9784]);
  },
);

function tableRows(file: string): string[][] {
  const lines = gunzipSync(readFileSync(file)).toString('utf8').trimEnd().split(/\r?\n/);
  return lines.slice(1).map((line) => line.split(','));
}
