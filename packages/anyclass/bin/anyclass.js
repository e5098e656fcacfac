#!/usr/bin/env node
// Node reads the modules that a module imports all at once, and gives up where the system allows few open files (`ulimit -n 64`).
// They are read a few at a time instead. What cannot be loaded ends the program with a message.
import { promises } from 'node:fs';

const most = 16;
const { readFile } = promises;
const waiting = [];
let reading = 0;
promises.readFile = async (...given) => {
  if (reading === most) await new Promise((resolve) => waiting.push(resolve));
  else reading++;
  try {
    return await readFile(...given);
  } finally {
    const next = waiting.shift();
    if (next) next();
    else reading--;
  }
};

try {
  await import('../dist/main.js');
} catch (error) {
  const isLimit = error?.code === 'EMFILE' || error?.code === 'ENFILE';
  const shown = process.argv.includes('--debug') ? error?.stack : error?.message;
  const remedy = isLimit ? "too many files are open; raise the limit with 'ulimit -n'" : shown;
  process.stderr.write(`anyclass: the program could not be loaded: ${remedy}\n`);
  process.exitCode = 1;
}
