// Searches for a good learning rate and λ; trials that do badly are stopped early. Run it again with a larger
// number to add trials.
//
//   node examples/dist/tuneSettings.js quick studies/digits 12

import { runDisplay, tune } from 'anyclass';

const [config = 'quick', study = 'studies/digits', trials = '12', set = '{}'] = process.argv.slice(2);

const search = {
  'optimizer.rate': { kind: 'log', low: 1e-4, high: 1e-2 },
  'loss.lambda': { kind: 'log', low: 0.005, high: 0.5 },
} as const;
const { best } = await tune(
  study,
  { config, search, trials: Number(trials), set: JSON.parse(set) },
  { onEvent: runDisplay(process.stderr) },
);
console.log(best ? `best: ${JSON.stringify(best.values)}, mAP ${best.value}` : 'no trial has finished');
