// Logits and labels of trained models that may exist next to the project, with another implementation's decisions on them.

import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { sigmoid } from '../src/losses/logisticTerms.js';
import type { Scored } from '../src/metrics/scored.js';

const folder = path.resolve(import.meta.dirname, '../../../../shared/data/decisions');

/** Whether they are available. */
export const hasDecisionRuns = existsSync(folder);

export const decisionRunNames = [
  'animals_bce-balanced',
  'animals_bce',
  'animals_any-bce-0.02',
  'coco-41_bce-balanced',
  'coco-41_bce',
] as const;

export interface ReferenceMetrics {
  readonly macroF1: number;
  readonly f1Neg: number;
  readonly falseAlarms: number;
  readonly 'validation macroF1'?: number;
}

/** Reads the reference metrics, in percent, by run and rule. */
export function readReference(): Record<string, Record<string, ReferenceMetrics>> {
  return JSON.parse(readFileSync(path.join(folder, 'reference.json'), 'utf8'));
}

/** Reads a run's two splits. */
export function readDecisionRun(name: string): { validation: Scored; test: Scored } {
  const tensors = readSafetensors(path.join(folder, `${name}.safetensors`));
  const split = (part: 'validation' | 'test'): Scored => {
    const labels = tensors[`${part}_labels`]!;
    const scores = float16s(tensors[`${part}_logits`]!.bytes).map(sigmoid);
    const classNames = Array.from({ length: labels.shape[1]! }, (_, j) => `class ${j}`);
    return { scores, targets: labels.bytes, classNames, split: part };
  };
  return { validation: split('validation'), test: split('test') };
}

interface StoredTensor {
  readonly shape: readonly number[];
  readonly bytes: Uint8Array;
}

function readSafetensors(file: string): Record<string, StoredTensor> {
  const bytes = new Uint8Array(readFileSync(file));
  const headerEnd = 8 + Number(new DataView(bytes.buffer).getBigUint64(0, true));
  const header: Record<string, { shape: number[]; data_offsets: [number, number] }> = JSON.parse(
    new TextDecoder().decode(bytes.subarray(8, headerEnd)),
  );
  return Object.fromEntries(
    Object.entries(header).map(
      ([
        name,
        {
          shape,
          data_offsets: [from, to],
        },
      ]) => [name, { shape, bytes: bytes.subarray(headerEnd + from, headerEnd + to) }],
    ),
  );
}

function float16s(bytes: Uint8Array): Float64Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const values = new Float64Array(bytes.byteLength / 2);
  for (let i = 0; i < values.length; i++) {
    const bits = view.getUint16(2 * i, true);
    const exponent = (bits >> 10) & 0x1f;
    const fraction = bits & 0x3ff;
    if (exponent === 0x1f) throw new RangeError(`logit ${i} is infinite or NaN`);
    const magnitude = exponent === 0 ? fraction * 2 ** -24 : (1 + fraction / 1024) * 2 ** (exponent - 15);
    values[i] = bits & 0x8000 ? -magnitude : magnitude;
  }
  return values;
}
