// Runs the native code under AddressSanitizer and UndefinedBehaviorSanitizer: the image readers with inputs
// that libFuzzer derives from the test images, and the addons in Node with some of their tests. The readers
// of weights are TypeScript, so Node's own coverage guides their inputs. Needs clang (Debian: apt-get install
// clang-14 libclang-rt-14-dev), g++, and libjpeg.
//
//   node packages/anyclass/test/attacks/sanitizers.mjs 600 [PART…]       (seconds per fuzzer; parts: jpeg, records, weights, addons)

import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bombs } from '../hostile/bombs.mjs';
import { runAddons } from './sanitizedAddons.mjs';

const [seconds = 600] = process.argv.slice(2, 3).map(Number);
const chosen = process.argv.slice(3);
const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'anyclass-fuzz-'));
/** The test images, and the image bombs that a server meets. */
const pictures = join(root, 'test/fixtures/data');
const seeds = [
  ...readdirSync(pictures)
    .filter((name) => name.endsWith('.jpg'))
    .map((name) => /** @type {const} */ ([name, readFileSync(join(pictures, name))])),
  ...[...(await bombs())]
    .filter(([what]) => what.includes('JPEG'))
    .map(([what, bytes]) => /** @type {const} */ ([what.replaceAll(' ', '-'), bytes])),
];
const parts = {
  jpeg: () =>
    fuzz('JPEG decoder', 'decodeJpeg.cc', [
      [15, 15, 1],
      [40, 9, 0],
      [63, 63, 1],
    ]),
  records: () =>
    fuzz('readers of files and caches', 'readRecords.cc', [
      [99, 0, 1, 2, 3, 0],
      [0, 9, 8, 7, 250, 1],
    ]),
  weights: fuzzWeights,
  addons: () => runAddons(folder),
};
try {
  const works = Object.entries(parts).filter(([name]) => chosen.length === 0 || chosen.includes(name));
  // Every part runs, even after one that found something.
  const results = works.map(([, work]) => work());
  process.exitCode = results.every(Boolean) ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** Fuzzes the readers of weights. Returns true if nothing was found. */
function fuzzWeights() {
  const program = fileURLToPath(new URL('fuzzedWeights.mjs', import.meta.url));
  const input = join(tmpdir(), 'anyclass-fuzzed-weights.bin');
  // The timeout stops a reader that never returns.
  const run = spawnSync(process.execPath, [program, seconds, 1, input].map(String), {
    encoding: 'utf8',
    timeout: 1000 * (seconds + 300),
  });
  if (run.status !== 0) console.error(`the input is ${input}: ${run.stderr.slice(-3000)}`);
  else rmSync(input);
  const verdict = run.status === 0 ? `${run.stdout.trim()}: nothing found` : 'FAILED';
  console.log(`readers of weights, guided by coverage, ${seconds} s, seed 1: ${verdict}`);
  return run.status === 0;
}

/** Builds a fuzzer and runs it. Returns true if nothing was found. */
function fuzz(title, source, starts) {
  const clang = ['clang++', ...Array.from({ length: 9 }, (_, i) => `clang++-${22 - i}`)].find(
    (name) => spawnSync(name, ['--version']).status === 0,
  );
  if (clang === undefined) {
    console.error(
      'clang++ not found; install clang and its compiler-rt (Debian: clang-14 libclang-rt-14-dev)',
    );
    return false;
  }
  const program = join(folder, source.replace('.cc', ''));
  const sources = readdirSync(join(root, 'native/images'))
    .filter((name) => name.endsWith('.cc') && !['addon.cc', 'workThreads.cc'].includes(name))
    .map((name) => join(root, 'native/images', name));
  const flags = [
    '-g',
    '-O1',
    '-std=c++17',
    '-fsanitize=fuzzer,address,undefined',
    '-fno-sanitize-recover=all',
  ];
  const words = [
    ...flags,
    join(root, 'native/fuzz', source),
    ...sources,
    '-DANYCLASS_LIBJPEG',
    '-ljpeg',
    '-o',
    program,
  ];
  if (spawnSync(clang, words, { stdio: 'inherit' }).status !== 0) return false;
  const corpus = join(folder, `${source}-corpus`);
  mkdirSync(corpus);
  for (const [name, bytes] of seeds) {
    for (const [i, start] of starts.entries())
      writeFileSync(join(corpus, `${i}-${name}`), Buffer.concat([Buffer.from(start), bytes]));
  }
  const limits = [
    `-max_total_time=${seconds}`,
    '-seed=1',
    '-rss_limit_mb=4096',
    '-timeout=30',
    '-print_final_stats=1',
  ];
  const run = spawnSync(program, [corpus, ...limits], { encoding: 'utf8', cwd: folder, maxBuffer: 2 ** 28 });
  const tried = /stat::number_of_executed_units:\s*(\d+)/.exec(run.stderr)?.[1] ?? '0';
  if (run.status !== 0) console.error(run.stderr.slice(-6000));
  const verdict = run.status === 0 ? 'nothing found' : 'FAILED';
  console.log(`${title} under ASan and UBSan: ${tried} inputs in ${seconds} s, seed 1: ${verdict}`);
  return run.status === 0;
}
