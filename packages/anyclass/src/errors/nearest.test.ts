import fc from 'fast-check';
import { expect, test } from 'vitest';
import { nearest, nearestOrAll } from './nearest.js';

const words = fc.stringMatching(/^[a-z]{6,12}$/);

test.each([
  ['crak', 'crack'],
  ['CRACK', 'crack'],
  ['rtae', 'rate'],
  ['RX', 'RB'],
])('%s is recognized as %s', (word, meant) => {
  expect(nearest(word, ['roots', 'crack', 'rate', 'RB'])).toBe(meant);
});

test.each(['d', 'cat', 'leak', 'floor'])('%s matches nothing that only shares its length', (word) => {
  expect(nearest(word, ['a', 'cow', 'lens', 'crack'])).toBeUndefined();
});

test('a word is recognized with one letter changed, missing or added, or with two neighboring letters swapped', () => {
  fc.assert(
    fc.property(words, fc.nat(), fc.constantFrom('', 'z', 'zz'), (word, at, letters) => {
      const place = at % word.length;
      const misspelled = word.slice(0, place) + letters + word.slice(place + 1);
      expect(nearest(misspelled, ['0123456789abcdef', word])).toBe(word);
      const swapped = word.slice(0, place) + [...word.slice(place, place + 2)].reverse().join('');
      expect(nearest(swapped + word.slice(place + 2), ['0123456789abcdef', word])).toBe(word);
    }),
  );
});

test('if no name is close, all are listed, or the first ones of very many', () => {
  expect(nearestOrAll('crak', ['crack', 'roots'], 'there are')).toBe("did you mean 'crack'?");
  expect(nearestOrAll('leak', ['crack', 'roots'], 'there are')).toBe('there are crack, roots');
  const many = Array.from({ length: 30 }, (_, i) => `class number ${i}`);
  expect(nearestOrAll('leak', many, 'there are')).toMatch(/, class number 23 and 6 more$/);
});
