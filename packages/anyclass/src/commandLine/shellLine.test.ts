import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { command } from './command.js';
import { commandLine, shellLine } from './shellLine.js';

test('a shell reads a line as the words it was made from', () => {
  const word = fc.string({ unit: 'grapheme' }).map((text) => text.replaceAll('\0', ''));
  const lines = fc.sample(fc.array(word, { minLength: 1 }), 500);
  // One shell reads them all: starting a process takes longer than anything else here. 'w' stands before each word, 'e' at the end of a line.
  const script = lines.map((words) => `printf 'w%s\\0' ${shellLine(words)}; printf 'e\\0'`).join('\n');
  const { stdout } = spawnSync('sh', { input: script, encoding: 'utf8' });
  const expected = lines.flatMap((words) => [...words.map((each) => `w${each}`), 'e']);
  expect(stdout.split('\0').slice(0, -1)).toEqual(expected);
});

test.each([
  ['runs/sewer-1', 'runs/sewer-1'],
  ['my run', "'my run'"],
  ["Ada's", "'Ada'\\''s'"],
  ['$HOME/*', "'$HOME/*'"],
  ['~/runs', "'~/runs'"],
  ['', "''"],
])('%j is written as %s', (word, expected) => {
  expect(shellLine([word])).toBe(expected);
});

test('a suggested command has flags for its options and none for its arguments', () => {
  const tune = command({
    name: 'tune',
    summary: 'Search',
    positionals: [{ field: 'study', placeholder: 'STUDY' }],
    examples: [],
    options: z.object({ study: z.string(), minEpochs: z.string() }),
    run: async () => undefined,
  });
  const line = (options: Record<string, string>) => commandLine({ command: 'tune', options }, [tune]);
  expect(line({ study: 'my study' })).toBe("anyclass tune 'my study'");
  expect(line({ study: 'one', minEpochs: '3' })).toBe('anyclass tune --min-epochs 3 one');
  expect(line({ study: '-one', minEpochs: '-3' })).toBe('anyclass tune --min-epochs=-3 -- -one');
});
