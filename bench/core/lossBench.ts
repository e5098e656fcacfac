import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { anyClassLoss, effectiveNumberWeights, type LossOptions, NumpyRandom } from '@anyclass/core';
import { runPeer } from './peer.js';
import { type Comparison, inTurns, secondsOf } from './timing.js';

/** Loss with gradient in float32, against the same in PyTorch eager. */
export function lossBench(
  rows: number,
  classes: number,
  base: LossOptions['base'],
  folder: string,
): Comparison {
  const entries = rows * classes;
  const random = new NumpyRandom(rows);
  const targets = Float32Array.from({ length: entries }, () => (random.random() < 0.05 ? 1 : 0));
  const logits = Float32Array.from({ length: entries }, () => 8 * random.random() - 5);
  const classCounts = Array.from({ length: classes }, (_, j) => 100 * (j + 1));
  const balance = effectiveNumberWeights(classCounts, 10000);
  writeFileSync(path.join(folder, 'logits'), logits);
  writeFileSync(path.join(folder, 'targets'), targets);
  writeFileSync(
    path.join(folder, 'weights'),
    Float32Array.of(...balance.classWeights, balance.negativeWeight),
  );

  const gradient = new Float32Array(entries);
  let loss = 0;
  const call = () => {
    loss = anyClassLoss(logits, targets, { classes, base, balance, gradient }).loss;
  };
  const repeats = Math.ceil(2e6 / entries) + 20;
  let peerLoss = 0;
  const comparison = inTurns(
    3,
    () => secondsOf(call, repeats, repeats),
    () => {
      const result = runPeer('loss_peer.py', folder, classes, base, repeats);
      peerLoss = result.value;
      return result.seconds;
    },
  );
  if (Math.abs(loss - peerLoss) > 1e-4 * Math.abs(peerLoss)) {
    throw new Error(`${base} ${rows}x${classes}: our loss is ${loss}, the peer's ${peerLoss}`);
  }
  return comparison;
}
