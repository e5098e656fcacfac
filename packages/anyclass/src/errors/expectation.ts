import type { z } from 'zod';
import { counted } from './counted.js';

/**
 * Says what a schema expected, in words for users; zod's messages are for programmers.
 *
 * @example
 * expectation(z.number().max(1).safeParse(3).error!.issues[0]!) // 'expected at most 1'
 */
export function expectation(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'too_big':
      return `expected ${issue.inclusive === false ? 'less than' : 'at most'} ${amount(issue.origin, issue.maximum)}`;
    case 'too_small':
      return `expected ${issue.inclusive === false ? 'more than' : 'at least'} ${amount(issue.origin, issue.minimum)}`;
    case 'invalid_type':
      return `expected ${typeWords[issue.expected] ?? issue.expected}`;
    case 'invalid_value':
      return `expected ${issue.values.length === 1 ? '' : 'one of '}${issue.values.map(String).join(', ')}`;
    case 'invalid_union':
      return issue.errors.map((branch) => branch.map(expectation).join(', ')).join('; or ');
    default:
      return issue.message;
  }
}

const typeWords: Readonly<Record<string, string>> = {
  int: 'an integer',
  number: 'a number',
  string: 'a string',
  boolean: 'true or false',
  array: 'a list',
  tuple: 'a list',
  object: 'an object',
  record: 'an object',
  null: 'null',
};

/** A number, or the length of a string or list. */
function amount(origin: string, count: number | bigint): string {
  const unit = origin === 'string' ? 'character' : origin === 'array' ? 'entry' : undefined;
  if (unit === undefined) return String(count);
  return counted(Number(count), unit);
}
