// Only the command line speaks of flags: a message of the library names fields and values, since its reader
// may have called a function. The command line shows an option's flag where an error names the option.

import { readdirSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { expect, test } from 'vitest';
import { optionFields } from './commandLine/fields.js';
import { commands } from './commands/index.js';

const source = import.meta.dirname;
/** From here. */
const packages = ['.', ...['core', 'files', 'torch', 'kit', 'browser'].map((name) => `../../${name}/src`)];
const flags = new Set([
  ...commands.flatMap(({ options }) => optionFields(options).map(({ flag }) => flag)),
  ...['--debug', '--help', '--version'],
]);

/** The code of a line, without its comment. */
function codeOf(line: string): string {
  return /^\s*(\/\/|\/?\*)/.test(line) ? '' : line.replace(/ \/\/ .*$/, '');
}

test('no text of the library names a flag of the command line', () => {
  const files = packages.flatMap((folder) =>
    readdirSync(join(source, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.tsx?$/.test(file) && !/\.test\.tsx?$/.test(file))
      .map((file) => join(folder, file))
      .filter((file) => !/^command(s|Line)$/.test(file.split(sep)[0]!)),
  );
  expect(files.length).toBeGreaterThan(800);
  const named = files.flatMap((file) =>
    readFileSync(join(source, file), 'utf8')
      .split('\n')
      .flatMap((line, i) =>
        // Not a variable of a style sheet, a part of a longer word, or nvidia-smi's --format=csv. A page may show whole commands.
        Array.from(
          codeOf(line)
            .replace(/\banyclass [a-z]+ [^`]*|shellLine\(\['anyclass',[^\]]*/, '')
            .matchAll(/(?<!var\(|[\w-])--[a-z][a-z0-9-]*(?!\w|\s*:|=csv)/g),
          ([flag]) => flag,
        )
          .filter((flag) => flags.has(flag))
          .map((flag) => `${file}, line ${i + 1}: ${flag}`),
      ),
  );
  expect(named).toEqual([]);
});
