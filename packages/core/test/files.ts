// Where tests find their golden values, and real data that may exist next to the project.

import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

const packageRoot = path.resolve(import.meta.dirname, '..');

/** Reads a golden file computed by an independent implementation. */
export const readVectors = (name: string) => JSON.parse(readText('test/vectors', name));

/** Reads a file written by the Python scripts in bench/fixtures/core. */
export const readFixture = (name: string) => JSON.parse(readText('test/fixtures', name));

/** Returns the path of a real label table, or undefined if it is not available. */
export function sharedLabels(name: string): string | undefined {
  const file = path.resolve(packageRoot, '../../../shared/data/labels', name);
  return existsSync(file) ? file : undefined;
}

const readText = (folder: string, name: string) => readFileSync(path.join(packageRoot, folder, name), 'utf8');
