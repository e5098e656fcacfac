// A few judged images with what the decision made of them: the page of a server offers them to try, and TensorBoard shows them. They
// are small, and as the model saw them: by its window, on its frame.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { Example } from '../events/example.js';
import { writeWhole } from '../files/wholeFile.js';

const exampleSchema: z.ZodType<Example> = z.object({
  outcome: z.enum(['found', 'missed', 'false-alarm', 'other']),
  name: z.string(),
  present: z.array(z.string()),
  predicted: z.array(z.string()),
  width: z.int().positive(),
  height: z.int().positive(),
  jpeg: z.base64(),
});

/** Writes the examples of a run, in place of earlier ones. */
export function writeExamples(folder: string, examples: readonly Example[]): void {
  writeWhole(pathIn(folder), `${JSON.stringify(examples, null, 1)}\n`);
}

/**
 * Returns the examples of a run; none if it has none, or if what is there is something else: nothing depends on them.
 *
 * @example
 * readExamples('runs/sewer').filter(({ outcome }) => outcome === 'missed')
 */
export function readExamples(folder: string): readonly Example[] {
  const path = pathIn(folder);
  if (!existsSync(path)) return [];
  try {
    return z.array(exampleSchema).parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    return [];
  }
}

function pathIn(folder: string): string {
  return join(folder, 'examples.json');
}
