// Increments the number in FOLDER/counter.txt TIMES times, each time under the study's lock (needs a build).
//
//   node packages/anyclass/test/lockedCounter.mjs FOLDER TIMES

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { withStudyLock } from 'anyclass/tuning';

const [folder = '', times] = process.argv.slice(2);
const counter = join(folder, 'counter.txt');
for (let i = 0; i < Number(times); i++) {
  await withStudyLock(folder, () =>
    writeFileSync(counter, String(Number(readFileSync(counter, 'utf8')) + 1)),
  );
}
