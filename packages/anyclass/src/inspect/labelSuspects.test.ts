import { NumpyRandom } from '@anyclass/core';
import { expect, test } from 'vitest';
import { absentImages } from '../data/dataset/absentImages.js';
import type { Dataset } from '../data/dataset/dataset.js';
import { labelMatrixBuilder } from '../data/dataset/labelMatrix.js';
import { nameTableBuilder } from '../data/dataset/nameTable.js';
import { labelSuspects } from './labelSuspects.js';

const classes = ['crack', 'root'];

/** Images with a good model's scores, and with some labels flipped. */
function scenes(rows: number, flipped: ReadonlySet<number>) {
  const random = new NumpyRandom(4);
  const names = nameTableBuilder();
  const labels = labelMatrixBuilder(classes.length);
  const values: number[] = [];
  for (let row = 0; row < rows; row++) {
    names.add(`${row}.png`);
    labels.addRow();
    for (let j = 0; j < classes.length; j++) {
      const truth = random.random() < 0.2;
      values.push(1 / (1 + Math.exp((truth ? -3 : 3) + 3 * (random.random() - 0.5))));
      if (truth !== flipped.has(row * classes.length + j)) labels.set(j);
    }
  }
  const table = names.finish();
  const all = Int32Array.from({ length: rows }, (_, row) => row);
  const none = new Int32Array(0);
  const dataset: Dataset = {
    name: 'scenes',
    classes,
    names: table,
    labels: labels.finish(),
    images: absentImages('none'),
    splits: { train: none, validation: all, test: none, decision: none },
    splitOrigin: 'one',
    preparation: { channels: 3, mean: [0, 0, 0], std: [1, 1, 1], augmentation: 'none' },
    remarks: [],
  };
  return { dataset, scores: { names: Array.from(all, (row) => `${row}.png`), classNames: classes, values } };
}

test('flipped labels come before all others, each as missing or wrong', () => {
  const flipped = new Set([7, 42, 101, 300, 555, 802, 1203, 1500]);
  const { dataset, scores } = scenes(1000, flipped);
  const suspects = labelSuspects(dataset, [scores]);
  const places = suspects.map(({ row, class: name }) => row * 2 + classes.indexOf(name));
  // A score that does not reach the mean of the opposite label is no evidence. That is about half of all
  // flipped labels; of these few, one or two.
  const found = places.filter((place) => flipped.has(place));
  expect(found.length).toBeGreaterThanOrEqual(6);
  expect(places.slice(0, found.length)).toEqual(found);
  for (const { row, class: name, kind, labels, split } of suspects.slice(0, found.length)) {
    expect([kind, split]).toEqual([labels.includes(name) ? 'wrong' : 'missing', 'validation']);
    expect(dataset.labels.isPresent(row, classes.indexOf(name))).toBe(kind === 'wrong');
  }
});

test('a good model raises no doubt about correct labels with scores on the correct side', () => {
  const { dataset, scores } = scenes(1000, new Set());
  expect(labelSuspects(dataset, [scores])).toEqual([]);
});

test('scores of other images, other classes, and classes with few examples raise no doubt', () => {
  const { dataset, scores } = scenes(1000, new Set([7]));
  expect(labelSuspects(dataset, [{ ...scores, names: scores.names.map((name) => `x${name}`) }])).toEqual([]);
  expect(labelSuspects(dataset, [{ ...scores, classNames: ['a', 'b'] }])).toEqual([]);
  const few = { names: scores.names.slice(0, 8), classNames: classes, values: scores.values.slice(0, 16) };
  expect(labelSuspects(dataset, [few])).toEqual([]);
});

test('margins of training images are evidence too', () => {
  const flipped = new Set([7, 42, 101, 300, 555, 802, 1203, 1500]);
  const { dataset, scores } = scenes(1000, flipped);
  const margins = {
    ...scores,
    // A network that learned the wrong labels by heart has pulled their mean logits toward them.
    values: scores.values.map((value, place) => {
      const logit = Math.log(value / (1 - value));
      return flipped.has(place) ? 0.4 * logit : logit;
    }),
  };
  const suspects = labelSuspects(dataset, [], margins);
  const places = suspects.map(({ row, class: name }) => row * 2 + classes.indexOf(name));
  expect(places.slice(0, flipped.size + 4).filter((place) => flipped.has(place)).length).toBeGreaterThan(5);
  expect(new Set(suspects.map(({ source }) => source))).toEqual(new Set(['margins']));
});
