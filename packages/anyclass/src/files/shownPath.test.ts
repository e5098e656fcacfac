import { expect, test } from 'vitest';
import { shownPath } from './shownPath.js';

test('a path with a line break is shown in one line', () => {
  expect(shownPath('a\nanyclass: all is well.png')).toBe('a\\nanyclass: all is well.png');
});
