// The help, generated from the commands' definitions.

import type { Command } from './command.js';
import { optionFields } from './fields.js';

export function programHelp(commands: readonly Pick<Command, 'name' | 'summary'>[]): string {
  return [
    'anyclass: train, evaluate and ship multi-label classifiers on data where most examples are negative.',
    '',
    'Usage: anyclass COMMAND [OPTIONS]',
    '       anyclass help COMMAND',
    '',
    'Commands:',
    ...columns(commands.map(({ name, summary }) => [name, summary])),
    '',
    'Options:',
    ...columns([
      ['--help', 'show this help, or the help of a command'],
      ['--version', 'show the version'],
      ['--debug', 'show a stack trace with errors'],
    ]),
  ].join('\n');
}

export function commandHelp(command: Command): string {
  const fields = optionFields(command.options);
  const positionals = (command.positionals ?? []).map(({ field, placeholder }) => {
    const known = fields.find((candidate) => candidate.field === field);
    return { field, placeholder, description: known?.description ?? '', isOptional: known?.isOptional };
  });
  const flags = fields.filter(({ field }) => !positionals.some((positional) => positional.field === field));
  const usage = positionals.map(({ placeholder, isOptional }) =>
    isOptional ? `[${placeholder}]` : placeholder,
  );
  const options = flags.map(({ flag, kind, placeholder, description, defaultText }): [string, string] => [
    kind === 'boolean' ? flag : `${flag} ${placeholder}`,
    description + (defaultText === undefined ? '' : ` (default ${defaultText})`),
  ]);
  return [
    `${command.summary}.`,
    '',
    `Usage: ${['anyclass', command.name, ...usage, '[OPTIONS]'].join(' ')}`,
    ...(positionals.length > 0
      ? [
          '',
          'Arguments:',
          ...columns(positionals.map(({ placeholder, description }) => [placeholder, description])),
        ]
      : []),
    '',
    'Options:',
    ...columns([...options, ['--help', 'show this help']]),
    '',
    'Examples:',
    ...command.examples.flatMap(([line, meaning]) => [`  ${line}`, `      ${meaning}`]),
  ].join('\n');
}

const lineWidth = 100;

/** Lays out two columns; the right one wraps. */
function columns(rows: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.flatMap(([left, right]) =>
    wrapped(right, lineWidth - width - 4).map((line, i) =>
      `  ${(i === 0 ? left : '').padEnd(width)}  ${line}`.trimEnd(),
    ),
  );
}

function wrapped(text: string, width: number): string[] {
  const lines = [''];
  for (const word of text.split(' ')) {
    const longer = [lines.at(-1), word].filter(Boolean).join(' ');
    if (longer.length <= width || lines.at(-1) === '') lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}
