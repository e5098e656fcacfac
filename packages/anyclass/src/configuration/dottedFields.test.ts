import fc from 'fast-check';
import { expect, test } from 'vitest';
import { differingFields, dottedFields, resultFields } from './dottedFields.js';
import type { Configuration } from './schema.js';
import { validateConfiguration } from './validate.js';

test('a field that differs is given by its full dotted name', () => {
  const differing = (first: object, second: object) =>
    differingFields(dottedFields(first), dottedFields(second));
  expect(differing({ a: { b: 1, c: [2] } }, { a: { b: 1, c: [3] } })).toEqual([
    { field: 'a.c', first: '[2]', second: '[3]' },
  ]);
  expect(differing({ a: 1 }, { a: 1, b: null })).toEqual([{ field: 'b', first: undefined, second: 'null' }]);
  expect(differing({ a: undefined }, {})).toEqual([]);
});

test('two configurations differ in the fields whose values differ, except those about where a run computes', () => {
  const one = validateConfiguration({ data: { dataset: 'digits' }, epochs: 2, device: 'cpu' });
  const two = validateConfiguration({ data: { dataset: 'digits', keep: ['3'] }, epochs: 3, threads: 1 });
  const differing = (first: Configuration, second: Configuration) =>
    differingFields(resultFields(first), resultFields(second));
  expect(differing(one, two)).toEqual([
    { field: 'epochs', first: '2', second: '3' },
    { field: 'data.keep', first: undefined, second: '["3"]' },
  ]);
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 99 }), (epochs) => {
      expect(differing(one, { ...one, epochs })).toHaveLength(epochs === 2 ? 0 : 1);
    }),
  );
});
