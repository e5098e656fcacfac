// Parses the words of a command line into a command's checked options.

import { parseArgs } from 'node:util';
import type { z } from 'zod';
import { expectation } from '../errors/expectation.js';
import { nearest } from '../errors/nearest.js';
import { messageOf } from '../errors/reasonOf.js';
import { UsageError } from '../errors/usageError.js';
import type { Command } from './command.js';
import { type OptionField, optionFields } from './fields.js';

export function parseOptions<Options extends z.ZodObject>(
  command: Command<Options>,
  words: readonly string[],
): z.output<Options> {
  const fields = optionFields(command.options);
  const own = ownWords(command, words);
  const { values, positionals } = split(command, fields, own);
  positionals.push(...words.slice(own.length));
  const given: Record<string, unknown> = {};
  for (const field of fields) {
    const value = values[field.flag.slice(2)];
    if (value !== undefined) given[field.field] = convert(field, value);
  }
  takePositionals(command, positionals, given);
  const result = command.options.safeParse(given);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const field = fields.find((candidate) => candidate.field === issue?.path[0]);
  const positional = command.positionals?.find((candidate) => candidate.field === field?.field);
  if (field && given[field.field] === undefined)
    throw new UsageError(`${positional?.placeholder ?? field.flag} is missing`);
  const problem = issue ? problemOf(issue, given) : 'is invalid';
  throw new UsageError(`${positional?.placeholder ?? field?.flag ?? 'the options'}: ${problem}`);
}

/**
 * Returns the words meant for the command itself: all of them, unless it takes another command with that
 * command's options.
 */
export function ownWords(command: Command, words: readonly string[]): readonly string[] {
  if (!command.positionals?.some(({ raw }) => raw)) return words;
  const fields = optionFields(command.options);
  let at = 0;
  while (words[at]?.startsWith('-')) {
    const takesNext = fields.some(({ flag, kind }) => flag === words[at] && kind !== 'boolean');
    at += takesNext ? 2 : 1;
  }
  return words.slice(0, at);
}

/** Says what was expected and what was given and, for a choice, which one was probably meant. */
function problemOf(issue: z.core.$ZodIssue, given: Readonly<Record<string, unknown>>): string {
  if (issue.code === 'custom') return issue.message;
  const [field = '', at] = issue.path;
  const value = given[String(field)];
  const word = String(Array.isArray(value) && typeof at === 'number' ? value[at] : value);
  const close = issue.code === 'invalid_value' ? nearest(word, issue.values.map(String)) : undefined;
  return `${expectation(issue)}; got '${word}'${close ? `; did you mean '${close}'?` : ''}`;
}

type Values = Record<string, string | boolean | (string | boolean)[] | undefined>;

function split(
  command: Command,
  fields: readonly OptionField[],
  words: readonly string[],
): { values: Values; positionals: string[] } {
  const options = Object.fromEntries(
    fields.map(({ flag, kind }) => [
      flag.slice(2),
      { type: kind === 'boolean' ? 'boolean' : 'string', multiple: kind === 'list' } as const,
    ]),
  );
  for (const word of words) {
    if (word === '--') break;
    const flag = word.split('=')[0] ?? '';
    const known = fields.map((field) => field.flag);
    if (!flag.startsWith('--') || known.includes(flag)) continue;
    const close = nearest(flag, known);
    throw new UsageError(
      `'anyclass ${command.name}' has no option ${flag}${close ? `; did you mean ${close}?` : ''}`,
    );
  }
  const args = withNegativeNumbers(withBareValues(words, fields), fields);
  checkValues(args, fields);
  try {
    return parseArgs({ args, options, allowPositionals: true });
  } catch (error) {
    throw new UsageError(messageOf(error));
  }
}

/** Turns `--paper` alone into `--paper=auto`: the next word is its value only if it is one of the choices. */
function withBareValues(words: readonly string[], fields: readonly OptionField[]): string[] {
  const end = words.indexOf('--');
  return words.map((word, i) => {
    const bare = fields.find(({ flag }) => flag === word)?.bare;
    const isAlone = bare && (end < 0 || i < end) && !bare.choices.includes(words[i + 1] ?? '');
    return isAlone ? `${word}=${bare.value}` : word;
  });
}

/** Turns `--times -2` into `--times=-2`, which `parseArgs` requires for values that start with a dash. */
function withNegativeNumbers(words: readonly string[], fields: readonly OptionField[]): string[] {
  const joined: string[] = [];
  for (const [i, word] of words.entries()) {
    if (word === '--') return [...joined, ...words.slice(i)];
    const isValue = fields.some(({ flag, kind }) => flag === words[i - 1] && kind !== 'boolean');
    if (isValue && /^-[\d.]/.test(word)) joined.push(`${joined.pop()}=${word}`);
    else joined.push(word);
  }
  return joined;
}

function checkValues(words: readonly string[], fields: readonly OptionField[]): void {
  for (const [i, word] of words.entries()) {
    if (word === '--') return;
    const field = fields.find(({ flag }) => flag === word);
    if (!field || field.kind === 'boolean') continue;
    const value = words[i + 1];
    if (value === undefined) throw new UsageError(`${word} needs a value: ${word} ${field.placeholder}`);
    if (value.startsWith('-') && value !== '-') {
      throw new UsageError(
        `${word} needs a value, and '${value}' looks like an option; if it is the value, write ${word}=${value}`,
      );
    }
  }
}

function convert(field: OptionField, value: string | boolean | (string | boolean)[]): unknown {
  if (field.kind !== 'number') return value;
  const number = Number(value);
  if (value === '' || Number.isNaN(number))
    throw new UsageError(`${field.flag}: '${String(value)}' is not a number`);
  return number;
}

function takePositionals(command: Command, words: readonly string[], given: Record<string, unknown>): void {
  const rest = [...words];
  for (const { field, rest: takesAll } of command.positionals ?? []) {
    if (rest.length === 0) return;
    given[field] = takesAll ? rest.splice(0) : rest.shift();
  }
  if (rest.length > 0) throw new UsageError(`'anyclass ${command.name}' does not take '${rest[0]}'`);
}
