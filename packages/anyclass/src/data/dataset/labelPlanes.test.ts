import fc from 'fast-check';
import { expect, test } from 'vitest';
import { countTogether } from '../../inspect/countLabels.js';
import { labelMatrixBuilder } from './labelMatrix.js';
import { fewestListed, planeBuilder } from './labelPlanes.js';

test('lists and bits agree on every row and class', () => {
  const rows = fc.array(fc.uniqueArray(fc.nat(39), { maxLength: 12 }), { maxLength: 20 });
  fc.assert(
    fc.property(rows, fc.nat(5), (marked, before) => {
      const planes = [40, fewestListed].map((classes) => {
        const builder = planeBuilder(classes, before);
        for (const classesOfRow of marked) {
          builder.addRow();
          for (const j of classesOfRow) builder.mark(j);
        }
        return builder.finish();
      });
      for (const [i, classesOfRow] of [...new Array<number[]>(before).fill([]), ...marked].entries()) {
        for (const plane of planes) {
          expect([...plane.classes(i)]).toEqual(classesOfRow.toSorted((a, b) => a - b));
          expect(plane.any(i)).toBe(classesOfRow.length > 0);
          for (let j = 0; j < 40; j++) expect(plane.has(i, j)).toBe(classesOfRow.includes(j));
        }
      }
    }),
    { numRuns: 50 },
  );
});

test('20,000 classes take memory only for present labels, and pairs are counted for the most frequent', () => {
  const classes = Array.from({ length: 20_000 }, (_, j) => `class ${j}`);
  const builder = labelMatrixBuilder(classes.length);
  for (let row = 0; row < 5000; row++) {
    builder.addRow();
    for (const j of [row % 20_000, 19_999]) builder.set(j);
  }
  builder.addRow(); // one row with every class
  for (let j = 0; j < classes.length; j++) builder.set(j);
  const labels = builder.finish();
  const train = Int32Array.from({ length: labels.rows }, (_, row) => row);
  const empty = new Int32Array(0);
  const { pairedClasses, cooccurrence, labelsPerInstance } = countTogether({
    classes,
    labels,
    splits: { train, validation: empty, test: empty, decision: empty },
  });
  expect([pairedClasses.length, cooccurrence.length, pairedClasses.at(-1)]).toEqual([
    500,
    500,
    'class 19999',
  ]);
  expect(cooccurrence.at(-1)!.at(-1)).toBe(5001);
  expect(labelsPerInstance[2]).toBe(5000);
  expect(labels.at(4999, 4999)).toBe(1);
});
