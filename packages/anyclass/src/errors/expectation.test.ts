import { expect, test } from 'vitest';
import { z } from 'zod';
import { expectation } from './expectation.js';

test.each([
  [z.number().max(1), 3, 'expected at most 1'],
  [z.number().lt(1), 1, 'expected less than 1'],
  [z.number().min(0), -2, 'expected at least 0'],
  [z.int().positive(), 0, 'expected more than 0'],
  [z.int(), 1.5, 'expected an integer'],
  [z.number(), 'x', 'expected a number'],
  [z.boolean(), 1, 'expected true or false'],
  [z.array(z.string()).min(1), [], 'expected at least 1 entry'],
  [z.tuple([z.number(), z.number()]), [1], 'expected at least 2 entries'],
  [z.array(z.number()), 3, 'expected a list'],
  [z.strictObject({}), 'x', 'expected an object'],
  [z.string().min(1), '', 'expected at least 1 character'],
  [z.enum(['a', 'b']), 'c', 'expected one of a, b'],
  [z.literal(3), 4, 'expected 3'],
  [z.union([z.enum(['a', 'b']), z.number().max(1)]), 'c', 'expected one of a, b; or expected a number'],
  [z.string().regex(/x/, 'expected cpu or cuda'), 'y', 'expected cpu or cuda'],
])('what schema %# expects is described in words', (schema, value, text) => {
  expect(expectation(schema.safeParse(value).error!.issues[0]!)).toBe(text);
});
