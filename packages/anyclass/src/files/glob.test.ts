import fc from 'fast-check';
import { expect, test } from 'vitest';
import { globMatcher } from './glob.js';

test.each([
  ['a/*.png', 'a/b.png', true],
  ['a/*.png', 'a/b/c.png', false],
  ['a/**/*.png', 'a/b/c.png', true],
  ['a/**/*.png', 'a/c.png', true],
  ['a/**/c.png', 'a/bc.png', false],
  ['a+(b).png', 'a+(b).png', true],
  ['?.png', 'ä.png', true],
  ['?.png', '/.png', false],
  ['**', 'a/b/c', true],
  ['*', '', true],
])('%s matches %s: %s', (pattern, path, expected) => {
  expect(globMatcher(pattern)(path)).toBe(expected);
});

/** The same matcher as a regular expression, which may backtrack. */
function slow(pattern: string): RegExp {
  const source = pattern.replaceAll(/\*\*\/|\*\*|\*|\?|[.+^${}()|[\]\\]/g, (token) => {
    if (token === '**/') return '(?:.*/)?';
    if (token === '**') return '.*';
    if (token === '*') return '[^/]*';
    return token === '?' ? '[^/]' : `\\${token}`;
  });
  return new RegExp(`^${source}$`, 's');
}

test('a glob matches what the equivalent regular expression matches', () => {
  const piece = fc.constantFrom('a', 'b', '/', '*', '**', '**/', '?', '.');
  const pattern = fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join(''));
  const path = fc
    .array(fc.constantFrom('a', 'b', '/', '.'), { maxLength: 10 })
    .map((pieces) => pieces.join(''));
  fc.assert(
    fc.property(pattern, path, (glob, text) => {
      expect([glob, text, globMatcher(glob)(text)]).toEqual([glob, text, slow(glob).test(text)]);
    }),
    { numRuns: 2000 },
  );
});

test('a pattern with many stars is matched without backtracking', () => {
  const matches = globMatcher(`${'*a'.repeat(40)}*b`);
  expect(matches('a'.repeat(5000))).toBe(false);
  expect(matches(`${'a'.repeat(5000)}b`)).toBe(true);
});
