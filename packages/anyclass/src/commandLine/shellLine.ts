// Command lines that a user can paste into a shell, whatever characters they contain.

import { shellLine } from '../errors/shellLine.js';
import type { NextCommand } from '../errors/userError.js';
import type { Command } from './command.js';
import { flagOf } from './fields.js';

export { shellLine };

/**
 * Returns the last line of a finished command: what to do next.
 *
 * @example
 * nextLine(['predict', 'runs/a', 'PHOTOS'], ['serve', 'runs/a']) // 'next    anyclass predict runs/a PHOTOS · anyclass serve runs/a'
 */
export function nextLine(...commands: readonly (readonly string[])[]): string {
  return `next    ${commands.map((words) => shellLine(['anyclass', ...words])).join(' · ')}`;
}

/** The paths of a command for a suggestion: a shell may have expanded a pattern to thousands. */
export function shownPaths(paths: readonly string[]): readonly string[] {
  return paths.length <= 2 && !paths.includes('-') ? paths : ['PHOTOS'];
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
