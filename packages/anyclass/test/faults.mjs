// Loaded before a command (`node --import`): ends the process at a chosen moment between its files, or moves its clock.
//
// FAULT_KILL=N     SIGKILL right before or after the Nth time that a file gets its name (rename or link)
// FAULT_DONE=FILE  made by the process that is killed, so that only the first to get there is: a command's processes share the variables
// FAULT_COUNT=FILE writes how many such moments there were
// FAULT_CLOCK=S    the clock is S seconds ahead, or behind if negative; time that passes is real

import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { isMainThread } from 'node:worker_threads';

const killAt = Number(process.env['FAULT_KILL'] ?? 0);
const doneFile = process.env['FAULT_DONE'];
const countFile = process.env['FAULT_COUNT'];
const ahead = 1000 * Number(process.env['FAULT_CLOCK'] ?? 0);

if (isMainThread && (killAt > 0 || countFile !== undefined)) watchNames();
if (ahead !== 0) moveClock();

function watchNames() {
  let moments = 0;
  const pass = () => {
    moments += 1;
    if (moments === killAt && isFirst()) process.kill(process.pid, 'SIGKILL');
  };
  for (const name of /** @type {const} */ (['renameSync', 'linkSync'])) {
    const original = fs[name];
    fs[name] = (from, to) => {
      pass();
      original(from, to);
      pass();
    };
  }
  for (const name of /** @type {const} */ (['rename', 'link'])) {
    const original = fs.promises[name];
    fs.promises[name] = async (from, to) => {
      pass();
      await original(from, to);
      pass();
    };
  }
  syncBuiltinESMExports();
  if (countFile !== undefined) process.on('exit', () => fs.appendFileSync(countFile, `${moments}\n`));
}

function isFirst() {
  if (doneFile === undefined) return true;
  try {
    fs.closeSync(fs.openSync(doneFile, 'wx'));
    return true;
  } catch {
    return false;
  }
}

function moveClock() {
  const { now } = Date;
  globalThis.Date = new Proxy(Date, {
    construct: (target, words, type) =>
      Reflect.construct(target, words.length === 0 ? [now() + ahead] : words, type),
    get: (target, key) => (key === 'now' ? () => now() + ahead : Reflect.get(target, key)),
  });
}
