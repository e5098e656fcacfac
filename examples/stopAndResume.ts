// Stops a run in the middle and resumes it: on the CPU, the weights are the same, bit for bit, as without the
// stop.
//
//   node examples/dist/stopAndResume.js photos/labels.csv runs/stopped

import { resume, train } from 'anyclass';

const [dataset = 'digits', run = 'runs/stopped'] = process.argv.slice(2);

const stop = new AbortController();
const stopped = await train(
  { data: { dataset }, network: { name: 'tresnet-s', inputSize: 32 }, epochs: 2, batchSize: 16 },
  {
    run,
    signal: stop.signal,
    onEvent(event) {
      if (event.type === 'step' && event.step === 2) stop.abort(); // as Ctrl-C does
    },
  },
);
console.log(stopped.summary ? 'finished before it was stopped' : 'stopped; a checkpoint is saved');

const { summary } = await resume(run);
console.log(`resumed and finished ${summary?.epochs} epochs`);
