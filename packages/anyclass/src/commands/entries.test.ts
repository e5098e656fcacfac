import { expect, test } from 'vitest';
import { optionFields } from '../commandLine/fields.js';
import { commandEntries } from './entries.js';
import { commands } from './index.js';

test('the list of commands has the name and summary of each command', () => {
  expect(commandEntries.map(({ name, summary }) => ({ name, summary }))).toEqual(
    commands.map(({ name, summary }) => ({ name, summary })),
  );
});

test('every argument and option of every command says what it is for', () => {
  const unexplained = commands.flatMap(({ name, options }) =>
    optionFields(options)
      .filter(({ description }) => description === '')
      .map(({ flag }) => `${name} ${flag}`),
  );
  expect(unexplained).toEqual([]);
});
