// Reads the files that a user names on the command line, tables and matrices, as a stream of feature vectors.

import { existsSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import { isPattern, matchingFiles } from '../data/datasetSpec.js';
import { readFeatureRows } from '../data/features/featureRows.js';
import { reasonOf } from '../errors/reasonOf.js';
import { listedPaths } from './imageInputs.js';
import type { FailedInput, VectorInput } from './vectorInputs.js';

/**
 * Yields the feature vectors in files, one after another: `.csv`, `.parquet`, `.arff`, `.npy` or
 * `.safetensors`, several with `*` in the file name, or `-` for a list of paths on standard input. Features
 * are found by the model's names for them; in a file without names they must be in the model's order. A file
 * that cannot be read is reported among the others.
 *
 * @example
 * for await (const { name } of featureInputs(['fields.csv'], description.features)) console.log(name);
 */
export async function* featureInputs(
  paths: Iterable<string> | AsyncIterable<string>,
  features: readonly string[],
  list: NodeJS.ReadableStream = process.stdin,
  signal?: AbortSignal,
): AsyncGenerator<VectorInput | FailedInput> {
  for await (const path of paths) {
    if (path !== '-') yield* vectorsAt(path, features);
    else for await (const listed of listedPaths(list, signal)) yield* vectorsAt(listed, features);
  }
}

const rowsAtOnce = 1024;

async function* vectorsAt(
  path: string,
  features: readonly string[],
): AsyncGenerator<VectorInput | FailedInput> {
  if (!existsSync(path)) {
    const found = isPattern(path) ? matchingFiles(path) : [];
    if (found.length === 0) yield { name: path, failure: 'no such file' };
    for (const file of found) yield* vectorsAt(file, features);
    return;
  }
  if (statSync(path).isDirectory()) {
    yield { name: path, failure: 'is a folder; name the feature files in it' };
    return;
  }
  try {
    yield* vectorsIn(path, features);
  } catch (error) {
    const reason = reasonOf(error);
    const own = `${basename(path)}: `; // the caller already prints the name
    yield { name: path, failure: reason.startsWith(own) ? reason.slice(own.length) : reason };
  }
}

async function* vectorsIn(path: string, features: readonly string[]): AsyncGenerator<VectorInput> {
  const { names, source } = await readFeatureRows(path, { wanted: features });
  try {
    const width = features.length;
    for (let start = 0; start < names.length; start += rowsAtOnce) {
      const rows = Int32Array.from(
        { length: Math.min(rowsAtOnce, names.length - start) },
        (_, i) => start + i,
      );
      const values = new Float32Array(rows.length * width);
      await source.read(rows, values);
      for (const [i, row] of rows.entries()) {
        yield { name: names.at(row), path, features: values.subarray(i * width, (i + 1) * width) };
      }
    }
  } finally {
    await source.close();
  }
}
