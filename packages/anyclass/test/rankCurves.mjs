// One, two and four processes: the gradient of a batch in float64, and the loss of a short training (needs a build). `npm test` has
// two processes and one network.
//
//   node packages/anyclass/test/rankCurves.mjs [NETWORK…]

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { program, rankGradients, runRanks } from './ranks.mjs';

const worlds = [1, 2, 4];
const [gradientLimit, lossLimit] = [1e-6, 0.01];
const networks = process.argv.length > 2 ? process.argv.slice(2) : ['tresnet-s', 'vit-b-16'];
const folder = mkdtempSync(join(tmpdir(), 'anyclass-curves-'));
let isWell = true;
try {
  console.log(
    '| network | processes | gradient, relative difference | largest difference of a loss |\n|---|---|---|---|',
  );
  for (const network of networks) {
    /** @type {Float32Array | undefined} */
    let gradient;
    /** @type {number[] | undefined} */
    let losses;
    for (const world of worlds) {
      const own = (await rankGradients(join(folder, 'gradient'), world, [network, '1'])).gradient;
      const curve = await lossCurve(network, world);
      gradient ??= own;
      losses ??= curve;
      const apart = distance(gradient, own);
      const largest = Math.max(...curve.map((loss, i) => Math.abs(loss / (losses?.[i] ?? Number.NaN) - 1)));
      if (!(apart <= gradientLimit && largest <= lossLimit)) isWell = false;
      console.log(`| ${network} | ${world} | ${apart.toExponential(1)} | ${(100 * largest).toFixed(3)}% |`);
    }
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
console.log(isWell ? 'ok' : `FAILED: more than ${gradientLimit} or ${100 * lossLimit}%`);
process.exitCode = isWell ? 0 : 1;

/**
 * Training and validation losses of each epoch.
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
