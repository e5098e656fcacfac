import { expect, test } from 'vitest';
import type { Example } from '../../events/example.js';
import { tryPage } from './tryPage.js';

const example: Example = {
  outcome: 'missed',
  name: '"><b>x.png',
  present: ['crack'],
  predicted: [],
  width: 8,
  height: 8,
  jpeg: '/9j/4AAQ',
};

test('examples are offered with what became of them, and their names stay text', () => {
  const page = tryPage([{ name: 'pipes', examples: [example] }], { needsToken: false });
  expect(page).toContain('data:image/jpeg;base64,/9j/4AAQ');
  expect(page).toMatch(/class="missed">Missed<\/b>crack/);
  expect(page).not.toContain('"><b>x.png');
  expect(tryPage([{ name: 'pipes' }], { needsToken: false })).not.toContain('class="example"');
});
