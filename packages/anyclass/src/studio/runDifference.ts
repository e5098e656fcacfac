// How a run that was trained on corrected labels differs from the one before, on the same images with the same labels.

import { pairedBootstrap } from '@anyclass/core';
import type { RunDifference } from '@anyclass/studio';
import { UserError } from '../errors/userError.js';
import { runScores } from '../runs/runScores.js';

/** Enough for an interval of 95%, and done in seconds. */
const replicates = 300;

/**
 * Measures both runs on the validation images that both have, with the labels of the second, which are corrected.
 *
 * @throws UserError if they share no images
 *
 * @example
 * (await runDifference('runs/sewer', 'runs/sewer-mended')).metrics[0]?.value // 0.013
 */
export async function runDifference(before: string, after: string): Promise<RunDifference> {
  const [first, second] = [await runScores(before, 'validation'), await runScores(after, 'validation')];
  const rowOf = new Map(first.names.map((name, row) => [name, row]));
  const rows = second.names.flatMap((name, row) => {
    const there = rowOf.get(name);
    return there === undefined ? [] : [[there, row] as const];
  });
  const columns = second.classNames.map((name) => first.classNames.indexOf(name));
  if (rows.length === 0 || columns.includes(-1))
    throw new UserError('the runs share no validation images, or not their classes');
  const width = second.classNames.length;
  const scores = new Float64Array(rows.length * width);
  const own = new Float64Array(rows.length * width);
  const targets = new Float64Array(rows.length * width);
  rows.forEach(([there, here], i) => {
    columns.forEach((column, j) => {
      scores[i * width + j] = first.scores[there * first.classNames.length + column]!;
      own[i * width + j] = second.scores[here * width + j]!;
      targets[i * width + j] = second.targets[here * width + j]!;
    });
  });
  const { groups } = second;
  const shared = {
    targets,
    classNames: second.classNames,
    ...(groups && { groups: rows.map(([, here]) => groups[here]!) }),
  };
  const { overall } = pairedBootstrap(
    { scores, ...shared },
    { scores: own, ...shared },
    { replicates, seed: 1 },
  );
  const shown = { mAP: overall.mAP, 'F1 at 0.5': overall.macroF1, 'F1-Neg at 0.5': overall.f1Neg };
  return {
    rows: rows.length,
    metrics: Object.entries(shown).flatMap(([name, difference]) => {
      if (!difference) return [];
      const { first: was, second: is, value, low, high } = difference;
      return [{ name, before: was, after: is, value, low, high }];
    }),
  };
}
