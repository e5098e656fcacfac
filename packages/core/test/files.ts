// Where tests find their golden values, and the real data that may stand beside the project.

import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

const packageRoot = path.resolve(import.meta.dirname, '..');

/** A golden file computed by an independent implementation. */
export const readVectors = (name: string) => JSON.parse(readText('test/vectors', name));

/** What the Python scripts in bench/fixtures/core wrote. */
export const readFixture = (name: string) => JSON.parse(readText('test/fixtures', name));

/** The path of a real label table, or undefined where it is not at hand. */
export function sharedLabels(name: string): string | undefined {
  const file = path.resolve(packageRoot, '../../../shared/data/labels', name);
  return existsSync(file) ? file : undefined;
}

const readText = (folder: string, name: string) => readFileSync(path.join(packageRoot, folder, name), 'utf8');
