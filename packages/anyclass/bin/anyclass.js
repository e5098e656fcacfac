#!/usr/bin/env node
// The program is in the bundle; a checkout has it after a build. If it cannot be loaded, this
// prints a message and fails.
import { existsSync } from 'node:fs';

const bundle = new URL('../bundle/main.js', import.meta.url);
try {
  await import(bundle.href);
} catch (error) {
  process.stderr.write(`anyclass: the program could not be loaded: ${remedy(error)}\n`);
  process.exitCode = 1;
}

/** @param {NodeJS.ErrnoException} error */
function remedy({ code, message, stack }) {
  if (code === 'EMFILE' || code === 'ENFILE') return "too many open files; raise the limit with 'ulimit -n'";
  if (!existsSync(bundle)) return "it is not built; run 'npm run setup' in the checkout";
  return process.argv.includes('--debug') ? stack : message;
}
