// Logs of predictions, as `serve` writes them: a JSON object per line, in one file or in several after rotation.

import { createReadStream, statSync } from 'node:fs';
import { createGunzip } from 'node:zlib';
import { z } from 'zod';
import { DataError } from '../errors/dataError.js';
import { expectation } from '../errors/expectation.js';
import { reasonOf } from '../errors/reasonOf.js';
import { unusualKind } from '../files/fileKind.js';
import { checkInputFile } from '../files/inputs.js';
import { parsedJson } from '../files/wholeFile.js';

const answer = z.object({
  model: z.string().optional(),
  version: z.string().optional(),
  isNegative: z.boolean().optional(),
  outcome: z.enum(['clear', 'review', 'alarm']).optional(),
  /** The presence score, by which decisions rank. */
  s: z.number().optional(),
  /** By class; only refits look into them. */
  probabilities: z.unknown().optional(),
});

/** A line of a log: what monitoring needs, and which model and decision answered. */
/** A name, also where a program writes it as a number. */
const name = z.union([z.string().min(1), z.number().transform(String)]);

const loggedLine = answer.extend({
  id: name,
  time: z.string().optional(),
  /** The client's name for the image, and the image's own. */
  name: z.string().optional(),
  sha256: z.string().optional(),
  group: z.union([z.string(), z.number().transform(String)]).optional(),
  /** The decision that was applied, under a name that changes whenever it does. */
  decision: z
    .object({
      id: z.string(),
      falseAlarms: z.number().optional(),
      /** The share of positives that may be cleared, of a decision with three outcomes. */
      missed: z.number().optional(),
      /** What the promise counts, if that is whole groups. */
      per: z.literal('group').optional(),
      /** False if the limit was only kept on the data of the fit; next, the same of `missed`. */
      promised: z.boolean().optional(),
      missedPromised: z.boolean().optional(),
    })
    .optional(),
  audit: z.object({ q: z.number().gt(0).max(1), drawn: z.boolean() }).optional(),
  /** What a second model answered, one that runs in the shadow of the first. */
  shadow: answer.optional(),
});

export type LoggedLine = z.output<typeof loggedLine>;

export interface PlacedLine {
  readonly logged: LoggedLine;
  readonly file: string;
  /** Its number in the file, from 1. */
  readonly line: number;
}

/**
 * Reads the lines of logs in order: by the time of their first lines if all have one, so that rotated files may be given in any
 * order, otherwise as given. Gzipped files are read too. A last line that was cut off, by a crash or by a server that is still
 * writing, is left out; anything else that cannot be read is an error that names the file and the line.
 *
 * @example
 * for await (const { logged } of readPredictionLogs(['predictions.jsonl'])) console.log(logged.id);
 */
export async function* readPredictionLogs(paths: readonly string[]): AsyncGenerator<PlacedLine> {
  for (const path of paths) checkLog(path);
  for (const path of await inOrder(paths)) yield* readLog(path);
}

/** A log is read more than once, of which a pipe would give the later readers nothing, or make them wait for ever. */
function checkLog(path: string): void {
  checkInputFile(path);
  const kind = unusualKind(statSync(path));
  if (kind !== undefined)
    throw new DataError(`${path} is ${kind}; a log is read more than once, so write it to a file`);
}

/**
 * Returns the classes that a line names; none if it has no probabilities.
 *
 * @example
 * classesOf({ id: '3f2a', probabilities: { crack: 0.1 } }) // ['crack']
 */
export function classesOf({ probabilities }: LoggedLine): readonly string[] {
  return typeof probabilities === 'object' && probabilities !== null ? Object.keys(probabilities) : [];
}

/** The classes that the first line of logs names. */
export async function firstClasses(paths: readonly string[]): Promise<readonly string[]> {
  for await (const { logged } of readPredictionLogs(paths)) return classesOf(logged);
  return [];
}

async function inOrder(paths: readonly string[]): Promise<readonly string[]> {
  if (paths.length < 2) return paths;
  const starts = await Promise.all(paths.map(async (path) => ({ path, time: await firstTime(path) })));
  if (starts.some(({ time }) => time === undefined)) return paths;
  return starts.sort((a, b) => Date.parse(a.time ?? '') - Date.parse(b.time ?? '')).map(({ path }) => path);
}

/** The time of a log's first line; undefined if it has none. */
async function firstTime(path: string): Promise<string | undefined> {
  for await (const { logged } of readLog(path)) return logged.time;
  return undefined;
}

async function* readLog(file: string): AsyncGenerator<PlacedLine> {
  let line = 0;
  // A line is parsed when the next one arrives, so that a last one that was cut off is known as the last.
  let waiting = '';
  for await (const text of textLines(file)) {
    if (line > 0 && waiting.trim() !== '') yield { logged: parsed(waiting, file, line), file, line };
    waiting = text;
    line++;
  }
  if (waiting.trim() === '' || isCutOff(waiting)) return;
  yield { logged: parsed(waiting, file, line), file, line };
}

/** Whether a text is the start of a JSON object that does not end; it may be cut after the end of an inner one. */
function isCutOff(text: string): boolean {
  return text.trimStart().startsWith('{') && parsedJson(text) === undefined;
}

/** Characters of a line; ten thousand classes with long names take one million. */
export const longestLine = 4_000_000;

async function* textLines(file: string): AsyncGenerator<string> {
  const { size } = statSync(file);
  const source = createReadStream(file);
  const bytes: AsyncIterable<Buffer> = file.endsWith('.gz') ? source.pipe(createGunzip()) : source;
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for await (const chunk of bytes) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
      rest = lines.pop() ?? '';
      yield* lines;
      if (rest.length > longestLine)
        throw new DataError(`a line is longer than ${longestLine} characters; is it a log of predictions?`);
    }
    // What was counted so far would pass for all of it. A gzipped one ends early by itself.
    if (bytes === source && source.bytesRead < size)
      throw new DataError('it became shorter while it was read; read it again');
  } catch (error) {
    throw new DataError(`${file}: ${reasonOf(error)}`);
  }
  yield rest + decoder.decode();
}

function parsed(text: string, file: string, line: number): LoggedLine {
  const value = parsedJson(text);
  if (value === undefined)
    throw new DataError(`${file}, line ${line}: not JSON; expected a line of a log of predictions`);
  if (text.includes('null')) dropNulls(value);
  const { data, error } = loggedLine.safeParse(value);
  if (data) return data;
  const [issue] = error.issues;
  const found = issue?.path.reduce<unknown>(
    (part, key) => (typeof part === 'object' && part !== null ? Reflect.get(part, key) : undefined),
    value,
  );
  const field =
    issue && issue.path.length > 0
      ? `${issue.path.join('.')} is ${JSON.stringify(found)}`
      : 'this is no prediction';
  throw new DataError(`${file}, line ${line}: ${field}; ${issue ? expectation(issue) : ''}`);
}

/** Many programs write null for what is not there. */
function dropNulls(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, part] of Object.entries(value)) {
    if (part === null) Reflect.deleteProperty(value, key);
    else dropNulls(part);
  }
}
