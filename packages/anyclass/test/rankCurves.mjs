// Compares one, two, and four processes: the gradient of a batch in float64 and float32, and the losses of a
// short training (needs a build). `npm test` covers two processes and one network.
//
//   node packages/anyclass/test/rankCurves.mjs [NETWORK…]

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { program } from './program.mjs';
import { rankGradients, runRanks } from './ranks.mjs';

const worlds = [1, 2, 4];
const types = /** @type {const} */ (['float64', 'float32']);
/** Limits for rounding errors through many layers; float32 is reported and held to a loose limit. */
const limits = { float64: 1e-6, float32: 1e-3 };
const lossLimit = 0.01;
const networks = process.argv.length > 2 ? process.argv.slice(2) : ['tresnet-s', 'vit-b-16'];
const folder = mkdtempSync(join(tmpdir(), 'anyclass-curves-'));
let isWell = true;
try {
  console.log(
    '| network | processes | gradient in float64, relative difference | in float32 | largest difference of a loss |\n|---|---|---|---|---|',
  );
  for (const network of networks) {
    /** @type {Partial<Record<'float64' | 'float32', Float32Array>>} gradients of a single process */
    const alone = {};
    /** @type {number[] | undefined} */
    let losses;
    for (const world of worlds) {
      const cells = [];
      for (const type of types) {
        const { gradient } = await rankGradients(join(folder, 'gradient'), world, [network, '1', type]);
        alone[type] ??= gradient;
        const apart = distance(alone[type], gradient);
        if (!(apart <= limits[type])) isWell = false;
        cells.push(apart.toExponential(1));
      }
      const curve = await lossCurve(network, world);
      losses ??= curve;
      const largest = Math.max(...curve.map((loss, i) => Math.abs(loss / (losses?.[i] ?? Number.NaN) - 1)));
      if (!(largest <= lossLimit)) isWell = false;
      console.log(`| ${network} | ${world} | ${cells.join(' | ')} | ${(100 * largest).toFixed(3)}% |`);
    }
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
console.log(isWell ? 'ok' : `FAILED: more than ${Object.values(limits)} or ${100 * lossLimit}%`);
process.exitCode = isWell ? 0 : 1;

/**
 * The training and validation losses of each epoch.
 *
 * @param {string} network
 * @param {number} world
 */
async function lossCurve(network, world) {
  const run = join(folder, `run-${network}-${world}`);
  const fields = [
    `network={"name":"${network}","inputSize":32}`,
    'data.digits.scenes={"train":96,"validation":32,"test":16}',
    'batchSize=16',
    'epochs=3',
    'optimizer={"name":"sgd","rate":0.01}',
    'evaluation.replicates=0',
    'device=cpu',
    'threads=1',
  ];
  const words = ['train', 'quick', '--run', run, ...fields.flatMap((field) => ['--set', field])];
  for (const { code, errors } of await runRanks([program, ...words], world)) {
    if (code !== 0) throw new Error(errors);
  }
  const lines = readFileSync(join(run, 'metrics.jsonl'), 'utf8').trim().split('\n');
  rmSync(run, { recursive: true });
  return lines.flatMap((line) => {
    const { trainingLoss, validationLoss } = JSON.parse(line);
    return [trainingLoss, validationLoss];
  });
}

/**
 * @param {Float32Array} expected
 * @param {Float32Array} found
 */
function distance(expected, found) {
  let [difference, length] = [0, 0];
  expected.forEach((value, i) => {
    difference += (value - (found[i] ?? Number.NaN)) ** 2;
    length += value ** 2;
  });
  return Math.sqrt(difference / length);
}
