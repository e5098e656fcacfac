// Command lines that a user can paste into a shell, whatever characters they contain.

import type { NextCommand } from '../errors/userError.js';
import type { Command } from './command.js';
import { flagOf } from './fields.js';

/**
 * Returns a line that a POSIX shell reads as these words.
 *
 * @example
 * shellLine(['anyclass', 'train', '--resume', 'my runs/first']) // "anyclass train --resume 'my runs/first'"
 */
export function shellLine(words: readonly string[]): string {
  return words.map(shellWord).join(' ');
}

/**
 * Returns the line of a command that an error suggests, written so that values that start with a dash are not
 * read as flags.
 *
 * @example
 * commandLine({ command: 'train', options: { resume: 'runs/sewer' } }, commands) // 'anyclass train --resume runs/sewer'
 */
export function commandLine({ command: name, options }: NextCommand, commands: readonly Command[]): string {
  const positionals = commands.find((command) => command.name === name)?.positionals ?? [];
  const words = positionals.flatMap(({ field }) => options[field] ?? []);
  const flags = Object.entries(options)
    .filter(([field]) => !positionals.some((positional) => positional.field === field))
    .flatMap(([field, value]) =>
      value.startsWith('-') ? [`${flagOf(field)}=${value}`] : [flagOf(field), value],
    );
  const separator = words.some((word) => word.startsWith('-')) ? ['--'] : [];
  return shellLine(['anyclass', name, ...flags, ...separator, ...words]);
}

function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
