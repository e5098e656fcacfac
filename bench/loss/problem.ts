// The same kind of batch as in paper_loss.py: nine rows in ten are negative.

import { type Device, keep, linspace, rand, randn, setSeed, type Tensor } from '@anyclass/torch';
import { anyClassLoss, type LossBalance } from 'anyclass/losses';

export interface LossProblem {
  readonly logits: Tensor;
  readonly targets: Tensor;
  readonly balance: LossBalance;
}

export function lossProblem(rows: number, classes: number, device: Device): LossProblem {
  setSeed(0);
  const logits = keep(randn([rows, classes], { device, requiresGrad: true }));
  const positive = rand([rows, 1], { device }).lt(0.1);
  const targets = keep(rand([rows, classes], { device }).lt(0.05).logicalAnd(positive).to('float32'));
  const classWeights = keep(linspace(2, 0.1, classes, { device }));
  return { logits, targets, balance: { classWeights, negativeWeight: 0.1 } };
}

/** Forward and backward of the class-balanced any-class loss. */
export function lossStep({ logits, targets, balance }: LossProblem, base: 'focal' | 'asl' = 'focal'): void {
  logits.grad = null;
  anyClassLoss(logits, targets, { base, balance }).backward();
}
