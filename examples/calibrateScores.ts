// Calibrates probabilities: fits a temperature on the validation split, keeps it only if it helps on rows it
// was not fitted on, and shows how far predicted and observed probabilities are apart on the test split.
//
//   node examples/dist/calibrateScores.js runs/sewer

import { calibrate, chooseCalibration, reliability } from '@anyclass/core';
import { runScores } from 'anyclass';

const [run = 'runs/demo/any-bce'] = process.argv.slice(2);
const test = await runScores(run, 'test');

const { calibration, logLoss } = chooseCalibration(await runScores(run, 'validation'));
console.log(`log loss ${logLoss.uncalibrated.toFixed(4)} before, ${logLoss.calibrated.toFixed(4)} after`);
if (calibration) {
  const scores = calibrate(test.scores, test.classNames, calibration);
  for (const [what, judged] of [
    ['before', test],
    ['after', { ...test, scores }],
  ] as const) {
    console.log(
      `expected calibration error of 'any class' ${what}: ${reliability(judged).anyClass.ece?.toFixed(4)}`,
    );
  }
} else {
  console.log('calibration does not help here; the probabilities are unchanged');
}
