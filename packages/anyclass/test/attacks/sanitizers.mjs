// Runs the JPEG decoder and the checksums of the image reader under AddressSanitizer and UndefinedBehaviorSanitizer, with inputs that
// libFuzzer makes from the pictures of the tests. Needs clang (Debian: apt-get install clang-14 libclang-rt-14-dev) and libjpeg.
//
//   node packages/anyclass/test/attacks/sanitizers.mjs 600        (seconds; ten minutes unless given)

import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const seconds = Number(process.argv[2] ?? 600);
const root = fileURLToPath(new URL('../..', import.meta.url));
const clang = ['clang++', ...Array.from({ length: 9 }, (_, i) => `clang++-${22 - i}`)].find(
  (name) => spawnSync(name, ['--version']).status === 0,
);
if (clang === undefined) {
  console.error('no clang++ here: install clang and its compiler-rt (Debian: clang-14 libclang-rt-14-dev)');
  process.exit(1);
}

const folder = mkdtempSync(join(tmpdir(), 'anyclass-fuzz-'));
try {
  const program = join(folder, 'fuzz');
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
  const built = spawnSync(
    clang,
    [
      ...flags,
      join(root, 'native/fuzz/decodeJpeg.cc'),
      ...sources,
      '-DANYCLASS_LIBJPEG',
      '-ljpeg',
      '-o',
      program,
    ],
    { stdio: 'inherit' },
  );
  if (built.status !== 0) process.exit(1);
  const corpus = join(folder, 'corpus');
  mkdirSync(corpus);
  const pictures = join(root, 'test/fixtures/data');
  for (const name of readdirSync(pictures).filter((file) => file.endsWith('.jpg'))) {
    const bytes = readFileSync(join(pictures, name));
    for (const [i, size] of [
      [15, 15, 1],
      [40, 9, 0],
      [63, 63, 1],
    ].entries())
      writeFileSync(join(corpus, `${i}-${name}`), Buffer.concat([Buffer.from(size), bytes]));
  }
  const run = spawnSync(
    program,
    [
      corpus,
      `-max_total_time=${seconds}`,
      '-seed=1',
      '-rss_limit_mb=4096',
      '-timeout=30',
      '-print_final_stats=1',
    ],
    { encoding: 'utf8', cwd: folder, maxBuffer: 2 ** 28 },
  );
  const tried = /stat::number_of_executed_units:\s*(\d+)/.exec(run.stderr)?.[1] ?? '0';
  if (run.status !== 0) console.error(run.stderr.slice(-6000));
  console.log(
    `JPEG decoder under ASan and UBSan: ${tried} inputs in ${seconds} s, seed 1: ${run.status === 0 ? 'nothing found' : 'FAILED'}`,
  );
  process.exitCode = run.status === 0 ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
