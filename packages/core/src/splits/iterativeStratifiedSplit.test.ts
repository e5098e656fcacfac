import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { NumpyRandom } from '../random/numpyRandom.js';
import { iterativeStratifiedSplit } from './iterativeStratifiedSplit.js';

test('the example in the documentation holds', () => {
  const labels = [1, 0, 1, 0, 0, 1, 0, 1, 0, 0, 0, 0];
  const parts = iterativeStratifiedSplit(labels, { classes: 2, shares: [0.5, 0.5], random: 1 });
  expect(parts.map((part) => [...part])).toEqual([
    [0, 3, 5],
    [1, 2, 4],
  ]);
});

test('every row is in exactly one part', () => {
  const table = fc.integer({ min: 1, max: 5 }).chain((classes) =>
    fc.record({
      classes: fc.constant(classes),
      labels: fc
        .array(fc.array(fc.constantFrom(0, 0, 0, 1), { minLength: classes, maxLength: classes }), {
          minLength: 1,
          maxLength: 60,
        })
        .map((rows) => rows.flat()),
      random: fc.nat(1000),
    }),
  );
  fc.assert(
    fc.property(table, ({ classes, labels, random }) => {
      const rows = labels.length / classes;
      const shares = [0.6, 0.2, 0.2];
      const parts = iterativeStratifiedSplit(labels, { classes, shares, random });
      const all = parts.flatMap((part) => [...part]).sort((a, b) => a - b);
      expect(all).toEqual([...Array(rows).keys()]);
    }),
  );
});

test('rare classes of a large table keep their shares, and so do the sizes', () => {
  const classes = 8;
  const rows = 4000;
  const labels = randomLabels(rows, classes);
  const shares = [0.7, 0.15, 0.15];
  const parts = iterativeStratifiedSplit(labels, { classes, shares, random: 3 });
  parts.forEach((part, index) => {
    expect(Math.abs(part.length - rows * shares[index]!)).toBeLessThanOrEqual(1);
    for (let j = 0; j < classes; j++) {
      const expected = countOf(labels, classes, j) * shares[index]!;
      const found = [...part].filter((row) => labels[row * classes + j] === 1).length;
      expect(Math.abs(found - expected)).toBeLessThanOrEqual(2);
    }
  });
});

test('the rarest class is assigned first, so that common ones cannot distort its shares', () => {
  const labels = Array.from({ length: 400 }, (_, row) => [row % 2, row % 40 === 1 ? 1 : 0]).flat();
  const parts = iterativeStratifiedSplit(labels, { classes: 2, shares: [0.5, 0.3, 0.2], random: 2 });
  const present = (j: number) =>
    parts.map((part) => [...part].filter((row) => labels[row * 2 + j] === 1).length);
  expect(present(1)).toEqual([5, 3, 2]);
  expect(present(0)).toEqual([100, 60, 40]);
});

test('rows of a group stay together while classes roughly keep their shares', () => {
  const classes = 5;
  const rows = 3000;
  const labels = randomLabels(rows, classes);
  const random = new NumpyRandom(8);
  const groups = Array.from({ length: rows }, () => random.integer(900));
  const parts = iterativeStratifiedSplit(labels, { classes, shares: [0.8, 0.2], random: 3, groups });
  const partOfGroup = new Map<number, number>();
  parts.forEach((part, index) => {
    for (const row of part) {
      expect(partOfGroup.get(groups[row]!) ?? index).toBe(index);
      partOfGroup.set(groups[row]!, index);
    }
  });
  for (let j = 0; j < classes; j++) {
    const found = [...parts[1]!].filter((row) => labels[row * classes + j] === 1).length;
    expect(Math.abs(found - countOf(labels, classes, j) * 0.2)).toBeLessThanOrEqual(4);
  }
});

test('undecided rows are a separate stratum, which does not include rows with a present class', () => {
  const unknown = Number.NaN;
  // Of every ten rows, two are positive (one also has an unknown label), three negative and five undecided.
  const kinds = [
    [1, 0],
    [1, unknown],
    [0, 0],
    [0, 0],
    [0, 0],
    [0, unknown],
    [unknown, 0],
    [unknown, unknown],
    [0, unknown],
    [unknown, 0],
  ];
  const labels = Array.from({ length: 200 }, (_, row) => kinds[row % 10]!).flat();
  const parts = iterativeStratifiedSplit(labels, { classes: 2, shares: [0.5, 0.3, 0.2], random: 5 });
  const count = (part: Int32Array, from: number, to: number) =>
    part.filter((row) => row % 10 >= from && row % 10 < to).length;
  expect(parts.map((part) => [count(part, 0, 2), count(part, 2, 5), count(part, 5, 10)])).toEqual([
    [20, 30, 50],
    [12, 18, 30],
    [8, 12, 20],
  ]);
});

test('a soft label counts as present from 0.5 on', () => {
  const hard = [1, 0, 1, 0, 0, 1, 0, 0, 0, 1, 0, 0];
  const soft = hard.map((label, i) => (label === 1 ? 0.5 + (i % 5) / 10 : 0.1 * (i % 5)));
  const options = { classes: 2, shares: [0.5, 0.5], random: 5 };
  expect(iterativeStratifiedSplit(soft, options)).toEqual(iterativeStratifiedSplit(hard, options));
});

/** Rows of many classes with few negatives among them, in groups or not. */
const manyClasses = fc.record({
  classes: fc.integer({ min: 20, max: 75 }),
  negatives: fc.integer({ min: 0, max: 12 }),
  positives: fc.integer({ min: 40, max: 120 }),
  groupSize: fc.integer({ min: 1, max: 4 }),
  random: fc.nat(1000),
});

test('every part gets a negative if there are enough, also with many classes and with groups', () => {
  fc.assert(
    fc.property(manyClasses, ({ classes, negatives, positives, groupSize, random }) => {
      const draw = new NumpyRandom(random);
      const rows = Array.from({ length: positives + negatives }, (_, row) => {
        const labels = new Array<number>(classes).fill(0);
        for (let k = 0; k < 3 && row >= negatives; k++) labels[draw.integer(classes)] = 1;
        return labels;
      });
      const groups = rows.map((_, row) => Math.floor(row / groupSize));
      const shares = [0.7, 0.15, 0.15];
      const parts = iterativeStratifiedSplit(rows.flat(), { classes, shares, random, groups });
      const holders = new Set(groups.slice(0, negatives)).size;
      const found = parts.filter((part) => part.some((row) => row < negatives)).length;
      expect(found).toBe(Math.min(3, holders));
      expect(parts.flatMap((part) => [...part]).sort((a, b) => a - b)).toEqual([...rows.keys()]);
      const partOfGroup = new Map(parts.flatMap((part, p) => [...part].map((row) => [groups[row], p])));
      for (const [p, part] of parts.entries())
        for (const row of part) expect(partOfGroup.get(groups[row])).toBe(p);
    }),
    { numRuns: 300 },
  );
});

/** Groups from one row to a third of the table, classes from common to rare, with the last class in a single group. */
const unevenGroups = fc.record({
  classes: fc.integer({ min: 2, max: 40 }),
  groupCount: fc.integer({ min: 3, max: 60 }),
  rows: fc.integer({ min: 60, max: 300 }),
  random: fc.nat(1000),
});

test('groups of very different sizes are never split, and every part gets a negative if enough groups have one', () => {
  fc.assert(
    fc.property(unevenGroups, ({ classes, groupCount, rows, random }) => {
      const draw = new NumpyRandom(random);
      const groups = Array.from({ length: rows }, () => Math.floor(groupCount ** draw.random()) - 1);
      const lone = groups[draw.integer(rows)];
      const labels = groups.flatMap((group) =>
        Array.from({ length: classes }, (_, j) =>
          Number(j === classes - 1 ? group === lone : draw.random() < 0.4 / (j + 1)),
        ),
      );
      const shares = [0.7, 0.15, 0.15];
      const parts = iterativeStratifiedSplit(labels, { classes, shares, random, groups });
      expect(parts.flatMap((part) => [...part]).sort((a, b) => a - b)).toEqual([...groups.keys()]);
      const partsOf = (isChosen: (row: number) => boolean) =>
        parts.filter((part) => part.some(isChosen)).length;
      for (const group of new Set(groups)) expect(partsOf((row) => groups[row] === group)).toBe(1);
      const isNegative = (row: number) => !labels.slice(row * classes, (row + 1) * classes).includes(1);
      const holders = new Set(groups.filter((_, row) => isNegative(row))).size;
      expect(partsOf(isNegative)).toBe(Math.min(3, holders));
    }),
    { numRuns: 300 },
  );
});

test('with groups that contain nearly all classes, sizes and all classes stay near their shares, not just the rarest class', () => {
  const classes = 12;
  const shares = [0.7, 0.15, 0.15];
  for (let seed = 0; seed < 10; seed++) {
    const draw = new NumpyRandom(seed);
    const labels = Uint8Array.from({ length: 2000 * classes }, () => Number(draw.random() < 0.1));
    const groups = Array.from({ length: 2000 }, (_, row) => Math.floor(row / 20));
    const parts = iterativeStratifiedSplit(labels, { classes, shares, random: seed, groups });
    parts.forEach((part, p) => {
      expect(Math.abs(part.length / 2000 - shares[p]!)).toBeLessThanOrEqual(0.01);
      for (let j = 0; j < classes; j++) {
        const found = part.filter((row) => labels[row * classes + j] === 1).length;
        expect(Math.abs(found / countOf(labels, classes, j) - shares[p]!)).toBeLessThan(0.03);
      }
    });
  }
});

test('negatives keep their share of each part to a few percent, however many there are', () => {
  const classes = 71;
  for (const negatives of [40, 200, 1000]) {
    const draw = new NumpyRandom(7);
    const rows = Array.from({ length: 600 + negatives }, (_, row) => {
      const labels = new Array<number>(classes).fill(0);
      for (let k = 0; k < 4 && row >= negatives; k++) labels[draw.integer(classes)] = 1;
      return labels;
    });
    const shares = [0.7, 0.15, 0.15];
    const parts = iterativeStratifiedSplit(rows.flat(), { classes, shares, random: 1 });
    parts.forEach((part, p) => {
      const found = part.filter((row) => row < negatives).length;
      expect(Math.abs(found - shares[p]! * negatives)).toBeLessThanOrEqual(1 + 0.05 * negatives);
    });
  }
});

test('many classes of two rows fill every part, and each class has a row in the largest', () => {
  const classes = 71;
  const labels = Array.from({ length: 2 * classes * classes }, (_, i) =>
    Number(Math.floor(i / classes) % classes === i % classes),
  );
  const parts = iterativeStratifiedSplit(labels, { classes, shares: [0.7, 0.15, 0.15], random: 4 });
  parts.forEach((part, p) => {
    expect(Math.abs(part.length - 142 * [0.7, 0.15, 0.15][p]!)).toBeLessThanOrEqual(2);
  });
  expect(new Set([...parts[0]!].map((row) => row % classes)).size).toBe(classes);
});

test('a class of one row goes to the largest part', () => {
  const classes = 30;
  const labels = Array.from({ length: 100 * classes }, (_, i) =>
    Number(Math.floor(i / classes) === i % classes),
  );
  const [train] = iterativeStratifiedSplit(labels, { classes, shares: [0.7, 0.15, 0.15], random: 4 });
  expect([...train!].filter((row) => row < classes)).toHaveLength(classes);
});

describe('bad arguments are named', () => {
  const shares = [0.5, 0.5];
  test.each([
    ['classes', () => iterativeStratifiedSplit([1], { classes: 0, shares, random: 0 }), 'classes is 0'],
    [
      'shape',
      () => iterativeStratifiedSplit([1, 0, 1], { classes: 2, shares, random: 0 }),
      '3 labels are not whole rows of 2',
    ],
    [
      'label',
      () => iterativeStratifiedSplit([1, 0, 2, 0], { classes: 2, shares, random: 0 }),
      'row 1, class 0 is 2',
    ],
    [
      'share',
      () => iterativeStratifiedSplit([1, 0], { classes: 1, shares: [1.5, -0.5], random: 0 }),
      'shares[0] is 1.5',
    ],
    [
      'sum',
      () => iterativeStratifiedSplit([1, 0], { classes: 1, shares: [0.5, 0.4], random: 0 }),
      'shares sum to 0.9',
    ],
    [
      'groups',
      () => iterativeStratifiedSplit([1, 0], { classes: 1, shares, random: 0, groups: [1] }),
      'groups has 1 entries for 2 rows',
    ],
  ])('%s', (_, call, message) => {
    expect(call).toThrow(RangeError);
    expect(call).toThrow(message);
  });
});

function randomLabels(rows: number, classes: number): Uint8Array {
  const random = new NumpyRandom(11);
  const labels = new Uint8Array(rows * classes);
  for (let i = 0; i < labels.length; i++)
    labels[i] = random.random() < 0.2 / (1 + (i % classes)) ** 2 ? 1 : 0;
  return labels;
}

function countOf(labels: Uint8Array, classes: number, j: number): number {
  return labels.filter((label, i) => i % classes === j && label === 1).length;
}
