import { expect, test } from 'vitest';
import type { Suspect } from '../../wire/look.js';
import { suspectItems } from './lists.js';
import { labelText } from './lookItem.js';

const suspect = (name: string, className: string, kind: Suspect['kind']): Suspect => ({
  name,
  split: 'train',
  labels: ['crack'],
  unknown: [],
  class: className,
  kind,
  score: 0.1,
});

test('an image with several suspect labels is one item, where its costliest label stands', () => {
  const items = suspectItems([
    suspect('a.png', 'crack', 'wrong'),
    suspect('b.png', 'roots', 'missing'),
    suspect('a.png', 'roots', 'missing'),
  ]);
  expect(items.map(({ name, note }) => [name, note])).toEqual([
    ['a.png', '− crack? + roots?'],
    ['b.png', '+ roots?'],
  ]);
  expect(items[0]?.suspects).toHaveLength(2);
});

test('an image that nobody checked is not shown as empty', () => {
  expect(labelText({ labels: [], unknown: [] })).toBe('nothing here');
  expect(labelText({ labels: ['crack'], unknown: [] })).toBe('crack');
  expect(labelText({ labels: [], unknown: ['crack', 'roots'] })).toBe('unknown: crack, roots');
  expect(labelText({ labels: ['crack'], unknown: ['roots'] })).toBe('crack; unknown: roots');
});
