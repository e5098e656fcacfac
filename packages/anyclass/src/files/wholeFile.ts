// Texts that are whole or absent, and read back. Without the engine: what only evaluates or reports does not load it.

import { randomUUID } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import type { z } from 'zod';
import { UserError } from '../userError.js';

/**
 * Writes a text, or its parts one after another, beside its place, brings it to the disk and renames it over what was there.
 *
 * @example
 * writeWhole('runs/sewer/summary.json', JSON.stringify(summary));
 */
export function writeWhole(path: string, text: string | Iterable<string>): void {
  const partial = `${path}.${process.pid}.part`;
  try {
    const file = openSync(partial, 'w');
    try {
      // Not writeSync: where a disk is nearly full that writes a part, and says so by a number only.
      for (const part of typeof text === 'string' ? [text] : text) writeFileSync(file, part);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(partial, path);
  } catch (error) {
    rmSync(partial, { force: true });
    throw error;
  }
  // The rename itself is lost in a power cut unless the folder is brought to the disk too; Windows cannot open one.
  if (process.platform === 'win32') return;
  const folder = openSync(dirname(path), 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

/**
 * Creates a file that appears with its content or not at all; false where there is one of that name already.
 *
 * @example
 * createWhole('runs/sewer/lock', text) // true for one of all processes that try
 */
export function createWhole(path: string, text: string): boolean {
  const draft = `${path}.${randomUUID()}`;
  writeFileSync(draft, text);
  try {
    linkSync(draft, path);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}

/**
 * What a JSON file that was written whole holds. One that does not hold what it should was damaged or edited since, and `remedy`
 * says what to do then.
 *
 * @example
 * readWhole('runs/sewer/config.json', runRecord, 'remove the folder runs/sewer and train again')
 */
export function readWhole<Content>(path: string, schema: z.ZodType<Content>, remedy: string): Content {
  const value = parsedJson(readFileSync(path, 'utf8'));
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const { path: field, message } = result.error.issues[0]!;
  const reason =
    value === undefined ? 'it is no JSON' : [field.join('.'), message].filter(Boolean).join(': ');
  throw new UserError(`${path}: is damaged (${reason}); ${remedy}`);
}

/** The value of a JSON text, or undefined where it is none: what a killed process wrote may be cut off. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
