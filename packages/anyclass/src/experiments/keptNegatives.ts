// Losses at thresholds that cost the negatives the same. At 0.5 one loss may look better only because it predicts more, and
// thresholds fitted for each class raise F1 at the price of the negatives. So each run also gets one threshold for all classes:
// of 0, 0.01, … 1 the one with the highest F1 on validation among those that keep what the standard loss of the same seed has of
// F1-Neg at 0.5.

import { measure, sharedThreshold } from '@anyclass/core';
import { type JudgedGroup, spreads } from './judgedGroup.js';
import { judgedOf, type LossPair } from './lossPairs.js';

/** Adds that threshold, and the figures at it, to both groups of all pairs. */
export function withKeptNegatives(judged: readonly JudgedGroup[], pairs: readonly LossPair[]): JudgedGroup[] {
  return judged.map((one) => {
    const pair = pairs.find(({ anyClass, standard }) => one.group === anyClass || one.group === standard);
    const kept = pair && judgedOf(pair.standard, judged).figures;
    const f1Neg = kept?.validation.f1Neg;
    if (!kept || !f1Neg || !one.figures.test) return one;
    const floors = one.group.seeds.map((seed) => f1Neg.values[kept.seeds.indexOf(seed)] ?? f1Neg.mean);
    return atKept(one, floors);
  });
}

function atKept(one: JudgedGroup, floors: readonly number[]): JudgedGroup {
  const { classImportance } = one.group.runs[0]!;
  const kept = one.curves.map((curves, i) => sharedThreshold(curves, { leastF1Neg: floors[i]! }));
  const metrics = one.models.map(({ scored }, i) =>
    measure(scored, { threshold: kept[i]!, ...(classImportance && { classImportance }) }),
  );
  return {
    ...one,
    models: one.models.map((model, i) => ({ ...model, thresholds: [...model.thresholds, kept[i]!] })),
    figures: {
      ...one.figures,
      keptTest: spreads(metrics),
      keptThresholds: kept,
    },
  };
}
