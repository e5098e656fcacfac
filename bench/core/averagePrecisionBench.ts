import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { measure, NumpyRandom } from '@anyclass/core';
import { runPeer } from './peer.js';
import { type Comparison, inTurns, secondsOf } from './timing.js';

export type AveragePrecisionPeer = 'scikit-learn' | 'per-sample loop';

/** mAP against a peer's; ours is `measure`, which also computes all other metrics. */
export function averagePrecisionBench(
  peer: AveragePrecisionPeer,
  rows: number,
  classes: number,
  folder: string,
): Comparison {
  const { scores, targets } = scoredRows(rows, classes);
  const classNames = Array.from({ length: classes }, (_, j) => `class ${j}`);
  writeFileSync(path.join(folder, 'scores'), scores);
  writeFileSync(path.join(folder, 'targets'), targets);
  let mAP = 0;
  const call = () => {
    mAP = measure({ scores, targets, classNames }).mAP ?? 0;
  };
  const repeats = peer === 'scikit-learn' ? 3 : 1;
  return inTurns(
    3,
    () => secondsOf(call, 5, 2),
    () => {
      const { seconds, value } = runPeer('average_precision_peer.py', folder, classes, peer, repeats);
      // The loop ignores ties, which changes the result slightly.
      if (Math.abs(value - mAP) > 1e-5) throw new Error(`our mAP is ${mAP}, that of ${peer} ${value}`);
      return seconds;
    },
  );
}

/** Scores like those of a decent model: 5% positives, sigmoids of two overlapping normal distributions. */
export function scoredRows(rows: number, classes: number): { scores: Float32Array; targets: Uint8Array } {
  const random = new NumpyRandom(rows);
  const targets = new Uint8Array(rows * classes);
  const scores = new Float32Array(rows * classes);
  for (let i = 0; i < targets.length; i++) {
    targets[i] = random.random() < 0.05 ? 1 : 0;
    const noise = random.random() + random.random() + random.random() - 1.5;
    scores[i] = 1 / (1 + Math.exp(3 - 2 * targets[i]! - 3 * noise));
  }
  return { scores, targets };
}
