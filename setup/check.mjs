// npm run check: format, lint, types, generated files. With patterns of test files, the quick round of an edit: what changed since the last
// commit is linted, all types are checked, and these tests run.
//
//   npm run check
//   npm run check -- packages/core/src/losses training/loop

import { join } from 'node:path';
import { output, root, run, SetupError } from './shell.mjs';

const patterns = process.argv.slice(2);
const program = (/** @type {string} */ path, /** @type {string[]} */ ...parameters) =>
  run(process.execPath, [join(root, 'node_modules', path), ...parameters]);

try {
  const linted = patterns.length === 0 ? ['.'] : changedFiles();
  if (linted.length > 0) program('@biomejs/biome/bin/biome', 'check', '--no-errors-on-unmatched', ...linted);
  program('typescript/bin/tsc', '-p', 'tsconfig.json');
  if (patterns.length > 0) program('vitest/vitest.mjs', 'run', ...patterns);
  else run(process.execPath, ['packages/torch/generate/dist/generate.js', '--check']);
} catch (error) {
  if (!(error instanceof SetupError)) throw error;
  console.error(`check: ${error.message}`);
  process.exitCode = 1;
}

/** The files that differ from the last commit and still exist, new ones included. */
function changedFiles() {
  const listed = [
    output('git', ['-C', root, 'diff', '--name-only', '--diff-filter=d', 'HEAD']),
    output('git', ['-C', root, 'ls-files', '--others', '--exclude-standard']),
  ];
  return listed.flatMap((names) => names?.split('\n') ?? []).filter((name) => name !== '');
}
