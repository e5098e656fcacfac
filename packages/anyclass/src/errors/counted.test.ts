import { expect, test } from 'vitest';
import { counted, inflected } from './counted.js';

test('one has the singular; 0 and many have the plural', () => {
  expect([0, 1, 2, 2407].map((count) => counted(count, 'image'))).toEqual([
    '0 images',
    '1 image',
    '2 images',
    '2,407 images',
  ]);
});

test('some nouns do not simply add an s', () => {
  expect(
    ['class', 'box', 'batch', 'epoch', 'entry', 'day', 'pass'].map((noun) => inflected(2, noun)),
  ).toEqual(['classes', 'boxes', 'batches', 'epochs', 'entries', 'days', 'passes']);
});

test('verbs agree if both wordings are given', () => {
  const worded = (count: number) => inflected(count, 'file is', 'files are');
  expect([0, 1, 3].map(worded)).toEqual(['files are', 'file is', 'files are']);
});
