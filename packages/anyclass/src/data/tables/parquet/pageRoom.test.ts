import { expect, test } from 'vitest';
import { pageHeaderBytes } from './pageHeader.js';
import { createPageRoom } from './pageRoom.js';
import { readPages } from './pages.js';
import type { Leaf } from './schema.js';

/** A column of numbers: a dictionary of one value, then a page that repeats it. */
function repeated(count: number, room = createPageRoom()) {
  const leaf: Leaf = {
    path: ['crack'],
    element: { name: 'crack', type: 'INT32', repetition_type: 'REQUIRED' },
    repetition: 0,
    definition: 0,
    isFlat: true,
  };
  // Indices of one bit; a run's head is twice its length, in seven bits per byte.
  const head: number[] = [];
  for (let left = 2 * count; ; left = Math.floor(left / 128)) {
    head.push(left > 127 ? (left % 128) | 128 : left);
    if (left <= 127) break;
  }
  const values = [1, ...head, 0];
  const bytes = Buffer.concat([
    pageHeaderBytes('dictionary', { count: 1, encoding: 'PLAIN', size: 4 }),
    Buffer.of(7, 0, 0, 0),
    pageHeaderBytes('data', { count, encoding: 'RLE_DICTIONARY', size: values.length }),
    Buffer.from(values),
  ]);
  return [...readPages({ bytes, leaf, codec: 'UNCOMPRESSED', compressors: undefined, count, room })];
}

test('a page of a few bytes that stands for a billion values is refused before they take memory', () => {
  expect(repeated(1000).at(-1)?.indices).toHaveLength(1000);
  const before = process.memoryUsage().arrayBuffers;
  expect(() => repeated(1e9)).toThrow(/more than 1073741824 bytes .* smaller row groups/);
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(2 ** 24);
});

test('columns that are read together share the room; the next page of a column replaces its last', () => {
  const room = createPageRoom(1e6);
  repeated(150_000, room);
  expect(() => repeated(150_000, room)).toThrow('more than 1000000 bytes');
  const [one, other] = [{}, {}];
  const next = createPageRoom(100);
  for (let i = 0; i < 3; i++) next.replace(one, 60);
  next.add(other, 40);
  expect(() => next.add(other, 1)).toThrow('more than 100 bytes');
});
