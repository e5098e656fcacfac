// Trains on your own images: a CSV with a file name and a 0/1 column for each class, or any other DATASET of
// docs/data.md.
//
//   node examples/dist/trainYourData.js photos/labels.csv

import { runDisplay, train } from 'anyclass';
import { summaryText } from 'anyclass/reports';

const [dataset = 'digits', epochs = '10'] = process.argv.slice(2);

const stop = new AbortController();
process.once('SIGINT', () => stop.abort()); // saves a checkpoint; resume(folder) continues the run

const { folder, summary } = await train(
  {
    data: { dataset },
    network: { name: 'tresnet-s', inputSize: 64 },
    loss: { name: 'any-bce', lambda: 0.02 },
    epochs: Number(epochs),
    batchSize: 64,
  },
  { onEvent: runDisplay(process.stderr), signal: stop.signal },
);

console.log(summary ? summaryText(folder, summary) : `stopped; resume('${folder}') continues the run`);
