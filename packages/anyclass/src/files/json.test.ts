import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseSettings } from '../commandLine/grammar/settings.js';
import { withSettings } from '../configuration/overrides.js';
import { parseJson } from './json.js';

test('JSON without __proto__ is read as JSON.parse reads it', () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      fc.pre(!text.includes('__proto__'));
      expect(parseJson(text)).toEqual(JSON.parse(text));
    }),
  );
});

test.each([
  '{"__proto__": 1}',
  '[{"a": {"__proto__": {}}}]',
  '{"\\u005f_proto__": 1}',
  '{"\\u005F\\u005Fproto__": 1}',
])('%s is refused', (text) => {
  expect(() => parseJson(text)).toThrow('"__proto__" is not allowed');
});

test('__proto__ inside a string value is allowed', () => {
  expect(parseJson('{"note": "about __proto__"}')).toEqual({ note: 'about __proto__' });
});

test('an override cannot set __proto__', () => {
  const set = (assignment: string) => withSettings({}, parseSettings([assignment]));
  expect(() => set('__proto__.polluted=1')).toThrow('__proto__');
  expect(() => set('__proto__=1')).toThrow('__proto__');
  expect(() => set('data={"__proto__": 1}')).toThrow('__proto__');
});
