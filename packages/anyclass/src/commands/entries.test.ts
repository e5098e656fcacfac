import { expect, test } from 'vitest';
import { commandEntries } from './entries.js';
import { commands } from './index.js';

test('the list of commands has the name and summary of each command', () => {
  expect(commandEntries.map(({ name, summary }) => ({ name, summary }))).toEqual(
    commands.map(({ name, summary }) => ({ name, summary })),
  );
});
