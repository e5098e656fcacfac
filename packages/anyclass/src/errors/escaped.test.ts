import { expect, test } from 'vitest';
import { escaped, inOneLine, lineAbout } from './escaped.js';
import { listed } from './listed.js';

test('what a terminal would obey is shown instead; ordinary text, tabs and line breaks stay', () => {
  expect(escaped('Größe\t1\n2')).toBe('Größe\t1\n2');
  expect(escaped('a\u001b]0;title\u0007b\r\u009b2J')).toBe('a\\u001b]0;title\\u0007b\\u000d\\u009b2J');
  expect(escaped('gpj.\u202eexe')).toBe('gpj.\\u202eexe');
  expect(JSON.parse(escaped(JSON.stringify({ name: 'a\u202eb\u001b' })))).toEqual({ name: 'a\u202eb\u001b' });
});

test('a name with line breaks takes one line, in lists as in reasons', () => {
  const name = 'a\nanyclass: all is well.png';
  expect(inOneLine(name)).toBe('a\\nanyclass: all is well.png');
  expect(listed([name, 'b'])).toBe('a\\nanyclass: all is well.png, b');
  expect(lineAbout(name, 'no\r\nimage')).toBe('a\\nanyclass: all is well.png: no\\r\\nimage');
});
