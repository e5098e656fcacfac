// The help texts, from the commands' own definitions.

import type { Command } from './command.js';
import { optionFields } from './fields.js';

export function programHelp(commands: readonly Command[]): string {
  return [
    'anyclass: train, judge and ship multi-label classifiers on data where most examples are negative.',
    '',
    'Usage: anyclass COMMAND [OPTIONS]',
    '',
    'Commands:',
    ...columns(commands.map(({ name, summary }) => [name, summary])),
    '',
    'Options:',
    ...columns([
      ['--help', 'this text; after a command, its own'],
      ['--version', 'the version'],
      ['--debug', 'a stack trace with errors'],
    ]),
  ].join('\n');
}

export function commandHelp(command: Command): string {
  const positionals = command.positionals ?? [];
  const fields = optionFields(command.options).filter(
    ({ field }) => !positionals.some((positional) => positional.field === field),
  );
  const arguments_ = optionFields(command.options).flatMap((field) =>
    positionals
      .filter((positional) => positional.field === field.field)
      .map(({ placeholder }): [string, string] => [placeholder, field.description]),
  );
  const options = fields.map(({ flag, kind, placeholder, description, defaultText }): [string, string] => [
    kind === 'boolean' ? flag : `${flag} ${placeholder}`,
    description + (defaultText === undefined ? '' : ` (default ${defaultText})`),
  ]);
  return [
    `${command.summary}.`,
    '',
    `Usage: ${['anyclass', command.name, ...positionals.map(({ placeholder }) => placeholder), '[OPTIONS]'].join(' ')}`,
    ...(arguments_.length > 0 ? ['', 'Arguments:', ...columns(arguments_)] : []),
    '',
    'Options:',
    ...columns([...options, ['--help', 'this text']]),
    '',
    'Examples:',
    ...command.examples.flatMap(([line, meaning]) => [`  ${line}`, `      ${meaning}`]),
  ].join('\n');
}

function columns(rows: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`);
}
