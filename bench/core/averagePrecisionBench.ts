import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { measure, NumpyRandom } from '@anyclass/core';
import { runPeer } from './peer.js';
import { inTurns, secondsOf } from './timing.js';

export interface AveragePrecisionTiming {
  readonly name: string;
  readonly seconds: number;
  readonly peerSeconds: number;
  readonly ratio: number;
}

/** mAP at the size of SewerML's validation split; ours is `measure`, which computes all other metrics with it. */
export function averagePrecisionBench(
  rows: number,
  classes: number,
  folder: string,
): AveragePrecisionTiming[] {
  const { scores, targets } = scoredRows(rows, classes);
  const classNames = Array.from({ length: classes }, (_, j) => `class ${j}`);
  writeFileSync(path.join(folder, 'scores'), scores);
  writeFileSync(path.join(folder, 'targets'), targets);
  let mAP = 0;
  const call = () => {
    mAP = measure({ scores, targets, classNames }).mAP ?? 0;
  };
  return ['scikit-learn', 'per-sample loop'].map((name) => {
    const repeats = name === 'scikit-learn' ? 3 : 1;
    const { ours, peer } = inTurns(
      3,
      () => secondsOf(call, 5, 2),
      () => {
        const result = runPeer('average_precision_peer.py', folder, classes, name, repeats);
        // The loop ignores ties, which moves the result a little.
        if (Math.abs(result.value - mAP) > 1e-5)
          throw new Error(`our mAP is ${mAP}, that of ${name} ${result.value}`);
        return result.seconds;
      },
    );
    return { name, seconds: ours, peerSeconds: peer, ratio: peer / ours };
  });
}

/** Scores as a fair model gives them: 5% positives, sigmoids of two overlapping humps. */
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
