// Follows a run through its events; the terminal's progress bar and events.jsonl use the same stream.
//
//   node examples/dist/followTraining.js photos/labels.csv runs/followed

import { type RunEvent, train } from 'anyclass';

const [dataset = 'digits', run = 'runs/followed', epochs = '3'] = process.argv.slice(2);

await train(
  { data: { dataset }, network: { name: 'tresnet-s', inputSize: 32 }, epochs: Number(epochs) },
  { run, onEvent },
);

function onEvent(event: RunEvent): void {
  switch (event.type) {
    case 'started':
      console.log(`${event.network} with ${event.loss} on ${event.device}`);
      break;
    case 'validated':
      console.log(`epoch ${event.record.epoch}: validation mAP ${event.record.validation.mAP}`);
      break;
    case 'saved':
      console.log(`saved ${event.checkpoint}`);
      break;
    case 'note':
      console.log(event.text);
      break;
    case 'finished':
      console.log(`done: test mAP ${event.summary.test?.metrics.mAP}`);
      break;
  }
}
