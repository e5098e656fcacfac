import { describe, expect, test } from 'vitest';
import { scoredByName } from './scoredByName.js';

const labels = { names: ['a.png', 'b.png', 'c.png'], targets: [1, 0, 0, 1, 0, 0] };
const classNames = ['crack', 'roots'];

test('scores are matched with labels by name, in the order of the labels', () => {
  const scores = {
    names: ['c.png', 'a.png', 'b.png'],
    scores: new Float32Array([0.5, 0.6, 0.1, 0.2, 0.3, 0.4]),
  };
  const scored = scoredByName(scores, labels, classNames);
  expect(scored.scores).toEqual(new Float32Array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6]));
  expect(scored.targets).toBe(labels.targets);
  expect(scored.classNames).toEqual(classNames);
});

test.each([
  ['ascending', ['a.png', 'b.png', 'c.png']],
  ['in another order', ['c.png', 'a.png', 'b.png']],
])('names in the same order on both sides, %s, leave the scores as they are', (_, names) => {
  const scores = new Float64Array([0.5, 0.6, 0.1, 0.2, 0.3, 0.4]);
  expect(scoredByName({ names, scores }, { ...labels, names }, classNames).scores).toBe(scores);
});

test.each([
  ['neighbors', ['a.png', 'a.png', 'b.png']],
  ['apart', ['b.png', 'a.png', 'b.png']],
])('a name that is twice on both sides is refused: %s', (_, names) => {
  const scores = { names, scores: new Float64Array(6) };
  expect(() => scoredByName(scores, { ...labels, names }, classNames)).toThrow(
    'twice or more among the scores',
  );
});

describe('names that do not match are listed', () => {
  const of = (...names: string[]) => ({ names, scores: new Float64Array(2 * names.length) });
  test.each([
    ['missing scores', of('a.png'), '2 names (b.png, c.png) without scores'],
    ['missing labels', of('a.png', 'b.png', 'c.png', 'd.png'), '1 name (d.png) without labels'],
    ['both', of('a.png', 'b.png', 'd.png'), '1 name (c.png) without scores; 1 name (d.png) without labels'],
    ['duplicates', of('a.png', 'a.png', 'b.png'), '1 name (a.png) twice or more among the scores'],
    ['many', of(...Array.from({ length: 15 }, (_, i) => `${i}`)), '8, 9 and 5 more'],
    ['a wrong shape', { names: ['a.png'], scores: new Float64Array(3) }, 'scores has 3 entries; expected 2'],
  ])('%s', (_, scores, message) => {
    const call = () => scoredByName(scores, labels, classNames);
    expect(call).toThrow(RangeError);
    expect(call).toThrow(message);
  });
  test('duplicates among the labels', () => {
    const twice = { names: ['a.png', 'a.png'], targets: [1, 0, 1, 0] };
    expect(() => scoredByName(of('a.png'), twice, classNames)).toThrow(
      '1 name (a.png) twice or more among the labels',
    );
  });
});

test('groups come with the labels', () => {
  const scores = { names: ['b.png', 'a.png'], scores: new Float64Array([0.2, 0.9]) };
  const labels = { names: ['a.png', 'b.png'], targets: [1, 0], groups: ['p1', 'p2'] };
  expect(scoredByName(scores, labels, ['crack']).groups).toEqual(['p1', 'p2']);
});
