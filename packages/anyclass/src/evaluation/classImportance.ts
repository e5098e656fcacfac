// Class weights for F2-CIW, by name, because a score file may have its classes in another order.

import { existsSync, readFileSync } from 'node:fs';
import { fileProblem } from '@anyclass/files';
import { z } from 'zod';
import { sewermlClasses } from '../data/readers/known/sewerml.js';
import { expectation } from '../errors/expectation.js';
import { nearestOrAll } from '../errors/nearest.js';
import { UserError } from '../errors/userError.js';
import { parseJson } from '../files/json.js';

export type ImportanceByClass = Readonly<Record<string, number>>;

const weights = z.record(z.string(), z.number().min(0, 'expected a number of at least 0'));

/**
 * Reads a class importance: `sewerml`, or a JSON file with a weight for each class.
 *
 * @example
 * readClassImportance('sewerml')['OS'] // 0.9009
 * readClassImportance('weights.json') // { crack: 1, roots: 0.25 }
 */
export function readClassImportance(source: string): ImportanceByClass {
  if (source === 'sewerml') return sewermlClasses;
  if (!existsSync(source)) {
    throw new UserError(
      `${source}: no such file; expected sewerml or a JSON file such as { "crack": 1, "roots": 0.25 }`,
    );
  }
  const { data, error } = weights.safeParse(contentOf(source));
  if (data) return data;
  const [issue] = error.issues;
  const place = issue?.path.length ? `class '${issue.path.join('.')}': ` : '';
  throw new UserError(
    `${source}: ${place}${issue ? expectation(issue) : 'is invalid'}; write { "CLASS": WEIGHT, … }`,
  );
}

/**
 * Returns the weights in the order of the classes. Each class must have a weight; extra weights are ignored.
 *
 * @example
 * importanceInOrder({ crack: 1, roots: 0.25 }, ['roots', 'crack']) // [0.25, 1]
 */
export function importanceInOrder(importance: ImportanceByClass, classNames: readonly string[]): number[] {
  return classNames.map((name) => {
    const weight = Object.hasOwn(importance, name) ? importance[name] : undefined;
    if (weight === undefined) {
      const hint = nearestOrAll(name, Object.keys(importance), 'it has');
      throw new UserError(`the class importance has no weight for '${name}'; ${hint}`);
    }
    return weight;
  });
}

function contentOf(path: string): unknown {
  try {
    return parseJson(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new UserError(`${path}: ${fileProblem(error)}`);
  }
}
