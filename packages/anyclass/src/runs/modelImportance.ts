// Reads the class importance from a model file, for runs whose record does not have it. The file is read by
// hand, because reports must work without libtorch.

import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { z } from 'zod';
import { parsedJson } from '../files/wholeFile.js';

const header = z.object({ __metadata__: z.object({ model: z.string() }) });
const description = z.object({ classImportance: z.array(z.number()).optional() });

/**
 * Returns the class weights for F2-CIW; undefined if the model has none, or is missing or damaged.
 *
 * @example
 * modelImportance('runs/sewer/model.safetensors')?.[0] // 1, the weight of RB
 */
export function modelImportance(path: string): readonly number[] | undefined {
  const { data } = header.safeParse(parsedJson(headerText(path)));
  return description.safeParse(parsedJson(data?.__metadata__.model ?? '')).data?.classImportance;
}

/** The JSON before the tensors, whose length is in the first eight bytes. */
function headerText(path: string): string {
  let file: number | undefined;
  try {
    file = openSync(path, 'r');
    const length = Buffer.alloc(8);
    readSync(file, length, 0, 8, 0);
    const text = Buffer.alloc(Math.min(Number(length.readBigUInt64LE()), fstatSync(file).size));
    readSync(file, text, 0, text.length, 8);
    return text.toString('utf8');
  } catch {
    return '';
  } finally {
    if (file !== undefined) closeSync(file);
  }
}
