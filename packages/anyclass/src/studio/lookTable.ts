// The images of a run with their labels and what the model made of them, as a few arrays.

import { applyDecision, OUTCOMES, presenceProbability } from '@anyclass/core';
import type { LookHead, LookSplit } from '@anyclass/studio';
import { UserError } from '../errors/userError.js';
import { readModelRecord } from '../inference/modelRecord.js';
import type { FoundRun } from './findRuns.js';
import type { ScoreTables } from './scoreTables.js';

const splits: readonly LookSplit[] = ['validation', 'test', 'decision'];

/**
 * Returns the table of a split as bytes: the length of its head as a 32-bit number, the head as JSON, spaces up to a multiple of
 * eight, and the arrays of `LookArrays` one after another.
 *
 * @throws UserError if the run has no scores or no model yet
 *
 * @example
 * const bytes = await lookTable(run, 'validation', tables);
 */
export async function lookTable(run: FoundRun, split: LookSplit, tables: ScoreTables): Promise<Buffer> {
  const scored = await tables.read(run, split);
  const { decision } = readModelRecord(run.path).description;
  if (!decision) throw new UserError(`${run.id}: its model has no decision`);
  const { scores, targets, names, presence: given, groups = [] } = scored;
  const given64 = given && Float64Array.from(given);
  const decided = applyDecision(Float64Array.from(scores), decision, {
    presence: decision.presenceFrom === 'given' ? given64 : undefined,
  });
  const codes = new Map<string, number>();
  const group = Int32Array.from(names, (_, row) => {
    const name = groups[row];
    if (name === undefined) return -1;
    const text = String(name);
    if (!codes.has(text)) codes.set(text, codes.size);
    return codes.get(text)!;
  });
  const { presence: alarm, thresholds } = decision;
  const head: LookHead = {
    split,
    splits: splits.filter((each) => tables.has(run, each)),
    classes: scored.classNames,
    names,
    groups: [...codes.keys()],
    thresholds,
    gate: alarm === null ? null : presenceProbability(alarm),
  };
  return framed(head, [
    Float32Array.from(scores),
    Float32Array.from(decided.presence, presenceProbability),
    group,
    Int8Array.from(targets, (target) => (Number.isNaN(target) ? -1 : Number(target >= 0.5))),
    decided.labels,
    Uint8Array.from(decided.outcomes, (outcome) => OUTCOMES.indexOf(outcome)),
  ]);
}

function framed(head: LookHead, arrays: readonly ArrayBufferView[]): Buffer {
  const text = Buffer.from(JSON.stringify(head));
  const start = 4 + text.length;
  const padding = (8 - (start % 8)) % 8;
  const length = Buffer.alloc(4);
  length.writeUInt32LE(text.length + padding);
  return Buffer.concat([
    length,
    text,
    Buffer.alloc(padding, ' '),
    ...arrays.map(({ buffer, byteOffset, byteLength }) => Buffer.from(buffer, byteOffset, byteLength)),
  ]);
}
