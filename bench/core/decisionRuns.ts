// Logits and labels of five trained models, read from `shared/data/decisions` next to the project.

import { existsSync } from 'node:fs';
import path from 'node:path';
import { NumpyRandom, type Scored } from '@anyclass/core';
import { readSafetensors } from '@anyclass/torch';

export const decisionRuns = [
  'animals_bce-balanced',
  'animals_bce',
  'animals_any-bce-0.02',
  'coco-41_bce-balanced',
  'coco-41_bce',
] as const;

/** Probabilities and labels of a run's validation and test split. */
export interface DecisionRun {
  readonly validation: Scored;
  readonly test: Scored;
}

/** Reads one run. */
export function readDecisionRun(name: string): DecisionRun {
  const folder = path.resolve(import.meta.dirname, '../../../../shared/data/decisions');
  const file = path.join(folder, `${name}.safetensors`);
  if (!existsSync(file)) throw new Error(`${file} is missing; the runs stand in shared/data/decisions`);
  const { tensors } = readSafetensors(file);
  const split = (part: 'validation' | 'test'): Scored => {
    const logits = tensors.get(`${part}_logits`)!;
    const classNames = Array.from({ length: logits.shape[1]! }, (_, j) => `class ${j}`);
    const targets = tensors.get(`${part}_labels`)!.data;
    return { scores: probabilities(logits.data), targets, classNames, split: part };
  };
  return { validation: split('validation'), test: split('test') };
}

/** Some of the rows, drawn without replacement. */
export function subsample(scored: Scored, rows: number, seed: number): Scored {
  const classes = scored.classNames.length;
  const order = new NumpyRandom(seed).permutation(scored.scores.length / classes).subarray(0, rows);
  const scores = new Float64Array(rows * classes);
  const targets = new Uint8Array(rows * classes);
  order.forEach((row, k) => {
    for (let j = 0; j < classes; j++) {
      scores[k * classes + j] = scored.scores[row * classes + j]!;
      targets[k * classes + j] = scored.targets[row * classes + j]!;
    }
  });
  return { ...scored, scores, targets };
}

/** Sigmoids of float16 logits. */
function probabilities(bytes: Uint8Array): Float64Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const values = new Float64Array(bytes.byteLength / 2);
  for (let i = 0; i < values.length; i++) {
    const bits = view.getUint16(2 * i, true);
    const exponent = (bits >> 10) & 0x1f;
    const fraction = bits & 0x3ff;
    const magnitude = exponent === 0 ? fraction * 2 ** -24 : (1 + fraction / 1024) * 2 ** (exponent - 15);
    values[i] = 1 / (1 + Math.exp(bits & 0x8000 ? magnitude : -magnitude));
  }
  return values;
}
