// A gate must not rank by a calibration that was fitted on its own rows: the calibration knows them.

import {
  applyDecision,
  calibrate,
  fitDecision,
  fitPlatt,
  NumpyRandom,
  presenceScores,
  type Scored,
} from '@anyclass/core';
import { normal } from './groupedSets.js';

const classNames = Array.from({ length: 10 }, (_, j) => `class ${j}`);
const fresh = 4000;

/** Prints how often a gate at 5% exceeds it, ranked by presence after and before a calibration of each class. */
export function printCalibration(sets: number): void {
  console.log('\n| 10 classes, each calibrated on the rows of the gate | 80 negatives | 300 negatives |');
  console.log('|---|---|---|');
  const counts = [80, 300].map((negatives) => {
    const random = new NumpyRandom(4);
    const exceeding = [0, 0];
    for (let set = 0; set < sets; set++) {
      const validation = drawn(random, negatives, 40);
      const calibration = fitPlatt(validation);
      const calibrated = { ...validation, scores: calibrate(validation.scores, classNames, calibration) };
      const future = drawn(random, fresh, 0).scores;
      const before = presenceScores(validation.scores, classNames.length);
      [calibrated, { ...calibrated, presence: before }].forEach((rows, way) => {
        const decision = fitDecision(rows, { kappa: 0 });
        const presence = way === 0 ? undefined : presenceScores(future, classNames.length);
        const { outcomes } = applyDecision(calibrate(future, classNames, calibration), decision, {
          presence,
        });
        if (outcomes.filter((outcome) => outcome === 'alarm').length > 0.05 * fresh) exceeding[way]!++;
      });
    }
    return exceeding.map((count) => `${((100 * count) / sets).toFixed(1)}%`);
  });
  ['ranked by presence after it', 'ranked by presence before it'].forEach((name, way) => {
    console.log(`| ${name} | ${counts.map((cells) => cells[way]).join(' | ')} |`);
  });
}

/** Logits of absent classes are N(-3, 1); each positive has one class, at N(0, 1). */
function drawn(random: NumpyRandom, negatives: number, positives: number): Scored & { scores: Float64Array } {
  const classes = classNames.length;
  const targets = new Float64Array((negatives + positives) * classes);
  for (let i = 0; i < positives; i++) targets[(negatives + i) * classes + random.integer(classes)] = 1;
  const scores = targets.map((target) => 1 / (1 + Math.exp(3 - 3 * target - normal(random))));
  return { scores, targets, classNames, split: 'validation' };
}
