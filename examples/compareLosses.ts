// Which loss is better on your data? Trains both with several seeds and compares them at the same false-alarm
// rate.
//
//   node examples/dist/compareLosses.js quick comparisons/digits 1,2,3 '{"epochs": 10}'

import { compare, runDisplay } from 'anyclass';

const [config = 'quick', out = 'comparisons/digits', seeds = '1,2,3', set = '{}'] = process.argv.slice(2);

const losses = [{ name: 'bce' }, { name: 'any-bce', set: { 'loss.lambda': 0.02 } }] as const;

const { comparison } = await compare(
  { config, losses, seeds: seeds.split(',').map(Number), out, set: JSON.parse(set), replicates: 200 },
  { onEvent: runDisplay(process.stderr) },
);
console.log(comparison?.verdict ?? 'interrupted; run it again to resume');
