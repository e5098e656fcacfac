// Reads files of golden values, whose kind is recognized by their keys.

import { readFileSync } from 'node:fs';
import { fileProblem } from '@anyclass/files';
import { z } from 'zod';
import { DataError } from '../errors/dataError.js';
import { expectation } from '../errors/expectation.js';
import { messageOf } from '../errors/reasonOf.js';
import { checkInputFile } from '../files/inputs.js';
import { parseJson } from '../files/json.js';

const matrix = z.array(z.array(z.number()));

const lossCase = z.object({
  logits: matrix,
  targets: matrix,
  classCounts: z.array(z.number()),
  negativeCount: z.number(),
  beta: z.number(),
  base: z.enum(['bce', 'focal']),
  gamma: z.number(),
  alpha: z.number(),
  lambda: z.number(),
  expected: z.object({
    loss: z.number(),
    grad: matrix,
    classWeights: z.array(z.number()),
    negativeWeight: z.number(),
    baseRows: z.array(z.number()),
    anyRows: z.array(z.number()),
    rowWeights: z.array(z.number()),
  }),
});

const name = z.union([z.number(), z.null(), z.array(z.union([z.number(), z.null()]))]);

const metricsCase = z.object({
  scores: matrix,
  targets: matrix,
  classImportance: z.array(z.number()).optional(),
  threshold: z.number(),
  expected: z.record(z.string(), name),
});

const norms = z.record(z.string(), z.number());

const networkVectors = z.object({
  network: z.string(),
  classes: z.number(),
  batch: z.number(),
  salt: z.number().default(0),
  negativeNormWeights: z.boolean().default(false),
  inputSize: z.number(),
  parameters: z.number(),
  stateDict: z.array(z.tuple([z.string(), z.array(z.number())])),
  evalLogits: matrix,
  targets: matrix,
  classCounts: z.array(z.number()),
  negativeCount: z.number(),
  loss: z.object({
    base: z.enum(['bce', 'focal']),
    alpha: z.number(),
    lambda: z.number(),
    beta: z.number(),
    gamma: z.number().default(2),
  }),
  trainLogits: matrix,
  trainLoss: z.number(),
  gradNorm: z.number(),
  gradNorms: norms,
  runningMeanNorms: norms,
  runningVarNorms: norms,
});

export type LossCase = z.output<typeof lossCase>;
export type MetricsCase = z.output<typeof metricsCase>;
export type NetworkVectors = z.output<typeof networkVectors>;

export type VectorFile =
  | { readonly kind: 'losses'; readonly cases: readonly LossCase[] }
  | { readonly kind: 'metrics'; readonly cases: readonly MetricsCase[] }
  | { readonly kind: 'network'; readonly vectors: NetworkVectors };

/**
 * Reads golden values: a list of losses, a list of metrics, or one network.
 *
 * @example
 * readVectorFile('losses.json').kind // 'losses'
 */
export function readVectorFile(path: string): VectorFile {
  const content: unknown = readJson(path);
  const keys = keysOf(Array.isArray(content) ? content[0] : content);
  if (Array.isArray(content)) {
    if (keys.includes('logits')) return { kind: 'losses', cases: checked(path, z.array(lossCase), content) };
    if (keys.includes('scores'))
      return { kind: 'metrics', cases: checked(path, z.array(metricsCase), content) };
  } else if (keys.includes('network') && keys.includes('evalLogits')) {
    return { kind: 'network', vectors: checked(path, networkVectors, content) };
  }
  const found = keys.length === 0 ? 'no keys' : `the keys ${keys.slice(0, 8).join(', ')}`;
  throw new DataError(
    `${path}: not a file of golden losses (key 'logits'), metrics ('scores') or a network ('evalLogits'); it has ${found}`,
  );
}

function readJson(path: string): unknown {
  const text = readText(path);
  try {
    return parseJson(text);
  } catch (error) {
    throw new DataError(`${path}: not JSON (${messageOf(error)})`);
  }
}

function readText(path: string): string {
  checkInputFile(path);
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new DataError(`${path} cannot be read: ${fileProblem(error)}`);
  }
}

function keysOf(value: unknown): string[] {
  return typeof value === 'object' && value !== null ? Object.keys(value) : [];
}

function checked<T>(path: string, schema: z.ZodType<T>, content: unknown): T {
  const result = schema.safeParse(content);
  if (result.success) return result.data;
  const issue = result.error.issues[0]!;
  throw new DataError(`${path}: ${issue.path.join('.')}: ${expectation(issue)}`);
}
