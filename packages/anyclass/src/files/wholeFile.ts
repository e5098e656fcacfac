// Texts that are whole or absent, and read back. Without the engine: what only evaluates or reports does not load it.

import { randomUUID } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  linkSync,
  lstatSync,
  openSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { z } from 'zod';
import { type NextCommand, UserError } from '../errors/userError.js';
import { errorCode, fileProblem } from './fileProblem.js';

/**
 * Writes a text, or its parts one after another, beside its place, brings it to the disk and renames it over what was there.
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
    file.discard();
    throw error;
  }
}

/** A file in the making. All of its functions throw UserErrors with the path and the reason. */
export interface Draft {
  /** Where the content is until the draft is finished. */
  readonly path: string;
  write(text: string): void;
  /** Brings the content to the disk and to its place. */
  finish(): void;
  /** Closes the draft and leaves it where it is. */
  leave(): void;
  /** Removes the draft; what was at its place stays as it was. */
  discard(): void;
}

/**
 * Begins a file beside its place. A link is followed: what it points to is replaced. What is no file, such as a device or a
 * pipe, is written to as it is.
 *
 * @example
 * const draft = draftFor('predictions.csv');
 * for (const line of lines) draft.write(line);
 * draft.finish();
 */
export function draftFor(path: string): Draft {
  const telling = <T>(work: () => T): T => {
    try {
      return work();
    } catch (error) {
      throw new UserError(`${path} cannot be written: ${fileProblem(error)}`);
    }
  };
  const isInPlace = telling(() => isNoFile(path));
  const target = isInPlace ? path : telling(() => linkTarget(path));
  const partial = isInPlace ? path : `${target}.${process.pid}.part`;
  const file = telling(() => openSync(partial, isInPlace ? 'a' : 'w'));
  let isOpen = true;
  const close = () => {
    if (isOpen) closeSync(file);
    isOpen = false;
  };
  return {
    path: partial,
    // Not writeSync: where a disk is nearly full that writes a part, and says so by a number only.
    write: (text) => telling(() => writeFileSync(file, text)),
    finish: () =>
      telling(() => {
        if (!isInPlace) fsyncSync(file);
        close();
        if (isInPlace) return;
        renameSync(partial, target);
        syncFolder(dirname(target));
      }),
    leave: close,
    discard() {
      close();
      if (!isInPlace) rmSync(partial, { force: true });
    },
  };
}

/** Whether there is something that a file must not replace. `/dev/stdout` may lead to a file, which others write to as well. */
export function isNoFile(path: string): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  return found !== undefined && (!found.isFile() || /^\/(dev|proc)\//.test(resolve(path)));
}

/** What a link points to, be it there or not; any other path as it is. */
function linkTarget(path: string): string {
  if (!lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) return path;
  try {
    return realpathSync(path);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
    return linkTarget(resolve(dirname(path), readlinkSync(path)));
  }
}

/** A rename is lost in a power cut unless the folder is brought to the disk too; Windows cannot open one. */
function syncFolder(path: string): void {
  if (process.platform === 'win32') return;
  const folder = openSync(path, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

/**
 * Creates a file that appears with its content or not at all; false where there is one of that name already.
 *
 * @throws UserError with the path and the reason
 *
 * @example
 * createWhole('runs/sewer/lock', text) // true for one of all processes that try
 */
export function createWhole(path: string, text: string): boolean {
  const draft = `${path}.${randomUUID()}`;
  try {
    writeFileSync(draft, text);
    linkSync(draft, path);
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw new UserError(`${path} cannot be written: ${fileProblem(error)}`);
  } finally {
    rmSync(draft, { force: true });
  }
}

/**
 * What a JSON file that was written whole holds. One that does not hold what it should was damaged or edited since; `remedy`
 * says what to do then, and `next` what to run.
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
  const value = parsedJson(readFileSync(path, 'utf8'));
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const { path: field, message } = result.error.issues[0]!;
  const reason =
    value === undefined ? 'it is no JSON' : [field.join('.'), message].filter(Boolean).join(': ');
  throw new UserError(`${path}: is damaged (${reason}); ${remedy}`, next && { next });
}

/** The value of a JSON text, or undefined where it is none: what a killed process wrote may be cut off. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
