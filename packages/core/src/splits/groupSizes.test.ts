import { describe, expect, test } from 'vitest';
import { NumpyRandom } from '../random/numpyRandom.js';
import { classesTooRare, iterativeStratifiedSplit } from './iterativeStratifiedSplit.js';

const shares = [0.7, 0.15, 0.15];

interface Patients {
  readonly groups: number[];
  readonly labels: number[];
  readonly classes: number;
}

/** Patients with the given numbers of images; a class is the likelier the more common it is. */
function patients(sizes: readonly number[], classes: number, seed: number): Patients {
  const random = new NumpyRandom(seed);
  const groups = sizes.flatMap((size, group) => new Array<number>(size).fill(group));
  const labels = groups.flatMap(() =>
    Array.from({ length: classes }, (_, j) => Number(random.random() < 0.15 / (j + 1))),
  );
  return { groups, labels, classes };
}

function splitOf({ groups, labels, classes }: Patients, seed: number): Map<number, number> {
  const parts = iterativeStratifiedSplit(labels, { classes, shares, groups, random: seed });
  const partOf = new Map<number, number>();
  parts.forEach((part, p) => {
    for (const row of part) {
      expect(partOf.get(groups[row]!) ?? p).toBe(p);
      partOf.set(groups[row]!, p);
    }
  });
  return partOf;
}

const bySize = (from: number, to: number) => ({ from, to });

describe.each<[string, number[], { from: number; to: number }[]]>([
  [
    '600 patients, 150 of them with three images',
    Array.from({ length: 600 }, (_, group) => (group < 150 ? 3 : 1)),
    [bySize(1, 1), bySize(3, 3)],
  ],
  [
    'sizes from 1 to 40 that get rarer',
    Array.from({ length: 900 }, (_, group) => Math.max(1, Math.floor(40 / (1 + group / 12)))),
    [bySize(1, 1), bySize(2, 2), bySize(3, 4), bySize(5, 8), bySize(9, 16), bySize(17, 40)],
  ],
  [
    'as many large groups as small ones',
    Array.from({ length: 240 }, (_, group) => [1, 10, 11, 60][group % 4]!),
    [bySize(1, 1), bySize(10, 11), bySize(60, 60)],
  ],
])('%s', (_, sizes, bands) => {
  test.each([1, 4, 14])('with %d classes, every size has its share of each part, over seeds', (classes) => {
    for (let seed = 0; seed < 6; seed++) {
      const table = patients(sizes, classes, seed);
      const partOf = splitOf(table, seed);
      for (const { from, to } of bands) {
        const members = sizes.flatMap((size, group) => (size >= from && size <= to ? [group] : []));
        if (members.length < 20) continue;
        shares.forEach((share, p) => {
          const found = members.filter((group) => partOf.get(group) === p).length;
          const tolerance = Math.max(2, 2 * Math.sqrt(members.length * share));
          expect(Math.abs(found - members.length * share)).toBeLessThanOrEqual(tolerance);
        });
      }
    }
  });
  test('rows and classes keep their shares too', () => {
    for (let seed = 0; seed < 5; seed++) {
      const { groups, labels, classes } = patients(sizes, 4, seed);
      const parts = iterativeStratifiedSplit(labels, { classes, shares, groups, random: seed });
      parts.forEach((part, p) => {
        expect(Math.abs(part.length / groups.length - shares[p]!)).toBeLessThan(0.02);
        for (let j = 0; j < classes; j++) {
          const total = groups.filter((_, row) => labels[row * classes + j] === 1).length;
          const found = part.filter((row) => labels[row * classes + j] === 1).length;
          expect(Math.abs(found - total * shares[p]!)).toBeLessThanOrEqual(2 + 0.05 * total);
        }
      });
    }
  });
});

test('among groups with equal counts, the seed alone decides', () => {
  const sizes = Array.from({ length: 60 }, (_, group) => (group % 2 === 0 ? 1 : 4));
  const groups = sizes.flatMap((size, group) => new Array<number>(size).fill(group));
  const labels = groups.map((group) => Number(group % 4 === 0));
  const inTest = new Float64Array(60);
  const seeds = 250;
  for (let seed = 0; seed < seeds; seed++) {
    splitOf({ groups, labels, classes: 1 }, seed).forEach((part, group) => {
      if (part === 2) inTest[group]!++;
    });
  }
  // Every group is as likely in test as every other of its kind, first or last in the table: 5 standard errors.
  for (const kind of [0, 1, 2, 3]) {
    const counts = inTest.filter((_, group) => group % 4 === kind);
    const mean = counts.reduce((sum, count) => sum + count) / counts.length;
    for (const count of counts) expect(Math.abs(count - mean)).toBeLessThan(5 * Math.sqrt(mean));
  }
});

test('classes too rare for every part are named', () => {
  const labels = [1, 0, 0, 1, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 0, 0].concat(new Array(40).fill(0));
  const groups = Array.from({ length: 28 }, (_, row) => row);
  expect(classesTooRare(labels, { classes: 2, shares: [0.5, 0.5], groups })).toEqual([1]);
  expect(classesTooRare(labels, { classes: 2, shares: [0.5, 0.5] })).toEqual([1]);
  // Six rows of one group cannot be in two parts.
  const together = groups.map((row) => (row < 7 ? 0 : row));
  expect(classesTooRare(labels, { classes: 2, shares: [0.5, 0.5], groups: together })).toEqual([0, 1]);
});
