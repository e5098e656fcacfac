// Attacks on the code that reads files and calls the engine, reproducible by seed. Every case must succeed or
// fail with an error that is meant for users; anything else is a failure and is printed.
//
//   node packages/anyclass/test/attacks/attacks.mjs 10000 [SEED] [ROW…]      (cases per row; needs a build: npm run setup)

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { randomStream } from '../../dist/data/random/philox.js';
import { cache, images, onnx, pytorch, safetensors, tables } from './damagedFiles.mjs';
import { fullDisk, killedPreparing, killedTraining, operators } from './processes.mjs';
import { outputs, runFolders } from './runFolders.mjs';

/** The attacks, each with the share of the requested cases that it runs: slow ones run fewer. */
const attacks = {
  'damaged images': { attack: images, share: 1 },
  'damaged tables': { attack: tables, share: 1 },
  'damaged safetensors': { attack: safetensors, share: 1 },
  'damaged PyTorch files': { attack: pytorch, share: 1 },
  'damaged ONNX files': { attack: onnx, share: 1 },
  'damaged caches': { attack: cache, share: 0.1 },
  'outputs over inputs': { attack: outputs, share: 0.1 },
  'damaged run folders': { attack: runFolders, share: 0.1 },
  'wrong operator calls': { attack: operators, share: 1 },
  'full disk': { attack: fullDisk, share: 0.1 },
  'killed prepare': { attack: killedPreparing, share: 0.005 },
  'killed train': { attack: killedTraining, share: 0.005 },
};

/**
 * Runs every attack.
 *
 * @param {(name: string, share: number) => number} countOf the number of cases of a row
 * @returns {Promise<{ name: string, tried: number, problems: string[], skipped?: string }[]>}
 */
export async function runAttacks(countOf, seed = 1, report = () => {}) {
  const results = [];
  for (const [number, [name, { attack, share }]] of Object.entries(attacks).entries()) {
    const tried = countOf(name, share);
    if (tried === 0) continue;
    const folder = mkdtempSync(join(tmpdir(), 'anyclass-attack-'));
    try {
      const drawOf = (i) => randomStream('sample', seed, number, i);
      const found = await attack(tried, drawOf, folder, seed);
      const result = Array.isArray(found)
        ? { name, tried, problems: found }
        : { name, tried: 0, problems: [], skipped: found.skipped };
      report(result);
      results.push(result);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
  return results;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [count = 10_000, seed = 1] = process.argv.slice(2, 4).map(Number);
  const rows = process.argv.slice(4);
  console.log('| attack | seed | tried | failed |\n|---|---|---|---|');
  const results = await runAttacks(
    (name, share) => (rows.length === 0 || rows.includes(name) ? Math.ceil(count * share) : 0),
    seed,
    ({ name, tried, problems, skipped }) => {
      console.log(`| ${name} | ${seed} | ${tried} | ${skipped ? `skipped: ${skipped}` : problems.length} |`);
      for (const problem of problems.slice(0, 10)) console.error(`${name}: ${problem}`);
    },
  );
  process.exitCode = results.every(({ problems }) => problems.length === 0) ? 0 : 1;
}
