import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { command } from './command.js';
import { commandLine, shellLine } from './shellLine.js';

test('a shell reads a line as the words it was made from', () => {
  const word = fc.string({ unit: 'grapheme' }).map((text) => text.replaceAll('\0', ''));
  fc.assert(
    fc.property(fc.array(word, { minLength: 1 }), (words) => {
      const { stdout } = spawnSync('sh', ['-c', `printf '%s\\0' ${shellLine(words)}`], { encoding: 'utf8' });
      expect(stdout.split('\0').slice(0, -1)).toEqual(words);
    }),
    { numRuns: 60 },
  );
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
