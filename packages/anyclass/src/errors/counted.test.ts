import { expect, test } from 'vitest';
import { counted, inflected } from './counted.js';

test('a count of one has a singular, 0 and many a plural', () => {
  expect([0, 1, 2, 2407].map((count) => counted(count, 'image'))).toEqual([
    '0 images',
    '1 image',
    '2 images',
    '2,407 images',
  ]);
});

test('nouns that do not simply add an s', () => {
  expect(['class', 'box', 'batch', 'entry', 'day', 'pass'].map((noun) => inflected(2, noun))).toEqual([
    'classes',
    'boxes',
    'batches',
    'entries',
    'days',
    'passes',
  ]);
});

test('verbs follow where both wordings are given', () => {
  const worded = (count: number) => inflected(count, 'file is', 'files are');
  expect([0, 1, 3].map(worded)).toEqual(['files are', 'file is', 'files are']);
});
