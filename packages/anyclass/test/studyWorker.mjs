// A study worker whose trials only pretend to train, for tests with several processes (needs a build).
//
//   node packages/anyclass/test/studyWorker.mjs STUDY MILLISECONDS_PER_EPOCH
//
// Every trial that it runs is a line in STUDY/carried-out.txt: number, attempt, process.

import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { readStudy, work } from 'anyclass/tuning';

const [folder = '', milliseconds] = process.argv.slice(2);
const settings = readStudy(folder);
if (!settings) throw new Error(`${folder}: no study`);

await work(folder, settings, {
  async objective({ trial, attempt, values }, hooks) {
    appendFileSync(join(folder, 'carried-out.txt'), `${trial} ${attempt} ${process.pid}\n`);
    for (let epoch = 1; epoch <= settings.configuration.epochs; epoch++) {
      await sleep(Number(milliseconds) * (0.5 + Math.random()));
      const value = Number(values['loss.alpha']) * (1 - 0.5 ** epoch);
      if (await hooks.report(epoch, value)) return { kind: 'interrupted' };
    }
    return { kind: 'finished' };
  },
});
