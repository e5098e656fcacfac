import { expect, test } from 'vitest';
import { fixOf } from './fixes.js';

test('what to fix comes with a command that a shell and init read as meant', () => {
  const command = (kind: Parameters<typeof fixOf>[0]['kind'], examples: string[] = []) =>
    fixOf({ kind, examples }, "my photos/it's.csv")?.command;
  expect(command('no-validation')).toBe(`npx anyclass init 'my photos/it'\\''s.csv' --set 'data.draw={}'`);
  expect(command('near-duplicate-across-splits')).toContain('--set data.groups=look-alikes');
  expect(command('scarce-class', ['Hernia: 4', 'a: b: 2'])).toContain(`--set 'data.drop=["Hernia","a: b"]'`);
  expect(command('suspect-label')).toContain('--set data.corrections=corrections.csv');
  expect(command('scarce-class')).toBeUndefined();
});
