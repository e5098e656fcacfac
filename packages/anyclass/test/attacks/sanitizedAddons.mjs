// Builds the addons with AddressSanitizer and UndefinedBehaviorSanitizer, separate from the usual builds,
// and runs tests with them.

import { spawnSync } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const repository = fileURLToPath(new URL('../../../..', import.meta.url));

/** Tests that use each of the addons and take only minutes. */
const tests = [
  'packages/torch/src/tensor/tensor.test.ts',
  'packages/torch/src/tensor/memory.test.ts',
  'packages/torch/src/autograd/autograd.test.ts',
  'packages/torch/src/serialization',
  'packages/anyclass/src/data/images/decoding/jpeg.test.ts',
  'packages/anyclass/src/data/cache',
  'packages/anyclass/src/losses',
];

/** Returns true if nothing was found. */
export function runAddons(folder) {
  const compiler = join(folder, 'sanitizing-g++');
  // vptr would need type information for libtorch's classes, which libtorch is built without.
  const flags = '-O1 -g -fsanitize=address,undefined -fno-sanitize=vptr -fno-sanitize-recover=all';
  writeFileSync(compiler, `#!/bin/sh\nexec g++ "$@" ${flags}\n`);
  chmodSync(compiler, 0o755);
  const library = (name) =>
    spawnSync('g++', [`-print-file-name=${name}`], { encoding: 'utf8' }).stdout.trim();
  const environment = {
    ...process.env,
    ANYCLASS_HOME: process.env.SANITIZED_HOME ?? join(folder, 'home'),
    CXX: compiler,
    NO_COLOR: '1',
  };
  const preloaded = {
    ...environment,
    LD_PRELOAD: `${library('libasan.so')}:${library('libubsan.so')}`,
    // Node and libtorch free nothing on exit, and libtorch's operators are looked up in several libraries.
    ASAN_OPTIONS: 'detect_leaks=0:detect_odr_violation=0:alloc_dealloc_mismatch=0',
    UBSAN_OPTIONS: 'print_stacktrace=1',
  };
  const at = { cwd: repository, encoding: 'utf8', maxBuffer: 2 ** 28 };
  const program = join(repository, 'packages/anyclass/bin/anyclass.js');
  // The build loads what it built, as a check, which also needs the sanitizers' libraries.
  const built = spawnSync(process.execPath, [program, 'setup'], { ...at, env: preloaded });
  if (built.status !== 0) {
    console.error(`the addons could not be built: ${built.stderr.slice(-3000)}`);
    return false;
  }
  const words = [join(repository, 'node_modules/vitest/vitest.mjs'), 'run', '--testTimeout=300000', ...tests];
  const run = spawnSync(process.execPath, words, { ...at, env: preloaded });
  const passed = /Tests\s+(.*)/.exec(run.stdout)?.[1] ?? 'no tests';
  const found = `${run.stdout}${run.stderr}`.match(/ERROR: AddressSanitizer|runtime error:/g) ?? [];
  const isClean = run.status === 0 && found.length === 0;
  if (!isClean) console.error(run.stdout.slice(-4000), run.stderr.slice(-6000));
  console.log(
    `addons in Node under ASan and UBSan: tests ${passed}: ${isClean ? 'nothing found' : 'FAILED'}`,
  );
  return isClean;
}
