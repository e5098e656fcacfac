// Trains or resumes a run until a step is done, together with the processes that were started with this one
// (needs a build): like Ctrl-C, but at a known moment.
//
//   node packages/anyclass/test/stoppedRanks.mjs RUN EPOCH STEP [CONFIGURATION]

import { resumeRun } from '../dist/training/resumeRun.js';
import { trainRun } from '../dist/training/trainRun.js';

const [run = '', epoch, step, configuration] = process.argv.slice(2);
const controller = new AbortController();
/** @type {import('../dist/training/activeRun.js').TrainOptions} */
const options = {
  signal: controller.signal,
  onEvent(event) {
    if (event.type === 'note') console.log(event.text);
    if (event.type === 'step' && event.epoch === Number(epoch) && event.step === Number(step))
      controller.abort();
  },
};
await (configuration === undefined
  ? resumeRun(run, options)
  : trainRun(JSON.parse(configuration), { ...options, run }));
