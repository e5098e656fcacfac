// What requests of the page hold, checked.

import { existsSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { errorCode, FileError, isSystemError } from '@anyclass/files';
import { z } from 'zod';
import { messageOf } from '../errors/reasonOf.js';
import { UserError } from '../errors/userError.js';
import { parsedJson } from '../files/wholeFile.js';
import { runPaths } from '../runs/runFolder.js';
import { limitedBody } from '../web/limitedBody.js';
import { Problem } from '../web/problem.js';
import type { FoundRun } from './findRuns.js';
import { checkRunFiles } from './runFiles.js';
import type { RunIndex } from './runIndex.js';
import type { Studio } from './shared.js';

const longestBody = 1 << 20;

/** Reads the JSON body of a request. */
export async function bodyOf<Content>(
  incoming: IncomingMessage,
  schema: z.ZodType<Content>,
  longest = longestBody,
): Promise<Content> {
  const bytes = await limitedBody(incoming, longest);
  return checked(parsedJson(bytes.toString('utf8')), schema, 'the body');
}

/**
 * Reads the query of a request.
 *
 * @example
 * queryOf(request.query, z.object({ run: z.string() })).run
 */
export function queryOf<Content>(query: unknown, schema: z.ZodType<Content>): Content {
  return checked(query, schema, 'the query');
}

function checked<Content>(value: unknown, schema: z.ZodType<Content>, what: string): Content {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new Problem('bad-request', `${what} is not as expected: ${issue?.path.join('.')} ${issue?.message}`);
}

/** Returns the run that a query names, which must be one of the index: ids are never used as paths. */
export function listedRunIn(query: unknown, index: RunIndex): FoundRun {
  const { run: id } = queryOf(query, z.object({ run: z.string() }));
  const run = index.find(id);
  if (!run) throw new Problem('not-found', `there is no run '${id}' any more`);
  // The index learns of it a little later; what is saved until then must not bring the folder back.
  if (!existsSync(runPaths(run.path).config)) throw new Problem('not-found', `${id} was deleted`);
  return run;
}

/** The same, of which files are read next. */
export function runIn(query: unknown, { index, folders }: Pick<Studio, 'index' | 'folders'>): FoundRun {
  const run = listedRunIn(query, index);
  try {
    checkRunFiles(run, folders);
  } catch (error) {
    throw answerTo(error);
  }
  return run;
}

/** Does something for a user; an error that the user can fix becomes the answer, and so does what the file system says. */
export async function forUser<Result>(work: () => Result | Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw answerTo(error);
  }
}

function answerTo(error: unknown): unknown {
  if (errorCode(error) === 'ENOENT')
    return new Problem('not-found', 'a file of this run was deleted meanwhile');
  const isUsers = error instanceof UserError || error instanceof FileError || isSystemError(error);
  return isUsers ? new Problem('not-possible', messageOf(error)) : error;
}
