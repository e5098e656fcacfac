// Text files that are whole or absent, and how they are read back. Problems are reported with the
// path that the user gave.

import { readFileSync, statSync } from 'node:fs';
import { discardQuietly, draftFile, type FileDraft, fileProblem, remedyOf } from '@anyclass/files';
import type { z } from 'zod';
import { expectation } from '../errors/expectation.js';
import { type NextCommand, UserError } from '../errors/userError.js';
import { unusualKind } from './fileKind.js';
import { parseJson } from './json.js';

/**
 * Writes a text, or its parts one after another, to a temporary file, flushes it to disk, and renames
 * it over any existing file.
 *
 * @throws UserError with the path and the reason
 *
 * @example
 * writeWhole('runs/sewer/summary.json', JSON.stringify(summary));
 */
export function writeWhole(path: string, text: string | Iterable<string>): void {
  const file = draftFor(path);
  try {
    for (const part of typeof text === 'string' ? [text] : text) file.write(part);
    file.finish();
  } catch (error) {
    discardQuietly(file);
    throw error;
  }
}

/** A file being written. All its functions throw a UserError with the path and the reason. */
export type Draft = FileDraft;

/**
 * Starts a draft next to the target file, as `draftFile` does.
 *
 * @example
 * const draft = draftFor('predictions.csv');
 * for (const line of lines) draft.write(line);
 * draft.finish();
 */
export function draftFor(path: string): Draft {
  const withPathInErrors = <T>(work: () => T): T => {
    try {
      return work();
    } catch (error) {
      throw new UserError(`${path} cannot be written: ${fileProblem(error)}${remedyOf(error)}`, {
        cause: error,
      });
    }
  };
  const draft = withPathInErrors(() => draftFile(path));
  return {
    path: draft.path,
    write: (text) => withPathInErrors(() => draft.write(text)),
    finish: () => withPathInErrors(() => draft.finish()),
    leave: () => withPathInErrors(() => draft.leave()),
    discard: () => withPathInErrors(() => draft.discard()),
  };
}

/**
 * Reads a JSON file that was written whole. If it does not match the schema, it was damaged or edited since;
 * the error then says `remedy`, and `next` is the command to run.
 *
 * @example
 * readWhole('runs/sewer/config.json', runRecord, 'remove the folder runs/sewer and train again')
 */
export function readWhole<Content>(
  path: string,
  schema: z.ZodType<Content>,
  remedy: string,
  next?: NextCommand,
): Content {
  const kind = unusualKind(statSync(path));
  if (kind !== undefined) throw new UserError(`${path} is ${kind}, not a file; ${remedy}`, next && { next });
  const value = parsedJson(readFileSync(path, 'utf8'));
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const issue = result.error.issues[0]!;
  const reason =
    value === undefined
      ? 'not valid JSON'
      : [issue.path.join('.'), expectation(issue)].filter(Boolean).join(': ');
  throw new UserError(`${path} is damaged (${reason}); ${remedy}`, next && { next });
}

/** The value of a JSON text, or undefined if it is invalid: what a killed process wrote may be cut off. */
export function parsedJson(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}
