// What requests of the page hold, checked.

import type { IncomingMessage } from 'node:http';
import { errorCode } from '@anyclass/files';
import { z } from 'zod';
import { UserError } from '../errors/userError.js';
import { parsedJson } from '../files/wholeFile.js';
import { Problem } from '../web/problem.js';
import type { FoundRun } from './findRuns.js';
import type { RunIndex } from './runIndex.js';

const longestBody = 1 << 20;

/** Reads the JSON body of a request. */
export async function bodyOf<Content>(
  incoming: IncomingMessage,
  schema: z.ZodType<Content>,
  longest = longestBody,
): Promise<Content> {
  const bytes = await bytesOf(incoming, longest);
  return checked(parsedJson(bytes.toString('utf8')), schema, 'the body');
}

/** Reads the body of a request as it is. */
export async function bytesOf(incoming: IncomingMessage, longest: number): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of incoming) {
    if (!(part instanceof Uint8Array)) throw new Problem('bad-request', 'expected bytes');
    length += part.length;
    if (length > longest) throw new Problem('too-large', 'the request is too long');
    parts.push(part);
  }
  return Buffer.concat(parts);
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
export function runIn(query: unknown, index: RunIndex): FoundRun {
  const { run: id } = queryOf(query, z.object({ run: z.string() }));
  const run = index.find(id);
  if (!run) throw new Problem('not-found', `there is no run '${id}' any more`);
  return run;
}

/** Does something for a user; an error that the user can fix becomes the answer, and so does a file that is gone. */
export async function forUser<Result>(work: () => Result | Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof UserError) throw new Problem('unreadable', error.message);
    if (errorCode(error) === 'ENOENT')
      throw new Problem('not-found', 'a file of this run was deleted meanwhile');
    throw error;
  }
}
