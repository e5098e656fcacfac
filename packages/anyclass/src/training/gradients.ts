// Computes the gradient of a batch: all at once, in parts one after another, or divided among ranks.

import { distributed, noGrad, type optim, type Tensor, tidy, zeros } from '@anyclass/torch';
import type { Ranks } from '../distribution/ranks.js';
import { shareOf } from '../distribution/shares.js';
import { inPrecision } from '../inference/computeDevice.js';
import { anyClassLoss, anyClassSums } from '../losses/anyClassLoss.js';
import { poolTiles, tileEvidence } from '../networks/layers/tiles.js';
import type { StepParts } from './stepParts.js';

/** Metrics of the whole batch, over all ranks. */
export interface BatchMetrics {
  readonly loss: Tensor;
  /** The largest magnitude of a logit. */
  readonly largestLogit: Tensor;
  /** The number of images in the batch. */
  readonly images: Tensor | number;
  /** The logits of this rank's images. */
  readonly logits: Tensor;
}

/** `weights` say how much each image counts; all alike if omitted. */
export type GradientComputation = (images: Tensor, targets: Tensor, weights?: Tensor) => BatchMetrics;

/**
 * Returns a function that computes the gradients of a network's parameters from a batch, or from this rank's
 * share of one.
 *
 * @example
 * const { loss } = gradientComputation(parts)(images, targets);
 */
export function gradientComputation(parts: StepParts): GradientComputation {
  const { ranks, accumulation } = parts;
  if (!ranks && accumulation === 1) return (...batch) => wholeBatch(parts, ...batch);
  const sums = ranks && rankSums(ranks, parts.optimizer);
  return (...batch) => inParts(parts, sums, ...batch);
}

function wholeBatch(
  { network, scaler, loss: options, settings }: StepParts,
  images: Tensor,
  targets: Tensor,
  weights?: Tensor,
): BatchMetrics {
  const { logits, rows } = judged(network, settings, images, { targets, weights });
  const loss = anyClassLoss(rows.logits, rows.targets, { ...options, weights: rows.weights });
  scaler.scale(loss).backward();
  return {
    loss: loss.detach(),
    largestLogit: rows.logits.detach().abs().amax(),
    images: targets.shape[0]!,
    logits: logits.detach(),
  };
}

interface Judged {
  /** Of images, [N, classes]. */
  readonly logits: Tensor;
  /** What the loss compares: images, or tiles if they have targets of their own, [N, tiles, classes]. */
  readonly rows: { readonly logits: Tensor; readonly targets: Tensor; readonly weights?: Tensor | undefined };
}

function judged(
  network: StepParts['network'],
  settings: StepParts['settings'],
  images: Tensor,
  { targets, weights }: { readonly targets: Tensor; readonly weights?: Tensor | undefined },
): Judged {
  const { tiles } = network.options;
  if (targets.shape.length === 2 || !tiles) {
    const logits = inPrecision(settings, () => network.forward(images)).to('float32');
    return { logits, rows: { logits, targets, weights } };
  }
  const ofTiles = inPrecision(settings, () => network.tileLogits(images)).to('float32');
  const [count = 0, batch = 0, classes = 0] = ofTiles.shape;
  const own = tiles.pool === 'noisy-or' ? tileEvidence(ofTiles) : ofTiles;
  return {
    logits: poolTiles(ofTiles, tiles.pool),
    rows: {
      logits: own.reshape([count * batch, classes]),
      targets: targets.permute([1, 0, 2]).reshape([count * batch, classes]),
      weights: weights?.repeat([count]),
    },
  };
}

/**
 * The loss of a batch is a quotient of two sums. Its denominator depends only on the labels. So the parts'
 * numerators over the whole batch's denominator add up to the loss of the batch, and their gradients to its
 * gradient: on one rank or on many.
 */
function inParts(
  { network, scaler, loss: options, settings, accumulation }: StepParts,
  sums: RankSums | undefined,
  images: Tensor,
  targets: Tensor,
  weights?: Tensor,
): BatchMetrics {
  const [count = 0] = targets.shape;
  const device = targets.device;
  const { denominator } = noGrad(() => {
    const rows = targets.reshape([-1, targets.shape.at(-1)!]);
    return anyClassSums(zeros(rows.shape, { device }), rows, options);
  });
  const summed = sums?.denominator(denominator);
  const total = zeros([], { device });
  const largest = zeros([], { device });
  const all = zeros([count, targets.shape.at(-1)!], { device });
  for (let part = 0; part < accumulation; part++) {
    const { start, end } = shareOf(count, { rank: part, worldSize: accumulation });
    // All ranks must run the network equally often, because its norm layers may communicate with other ranks.
    if (start === end && !sums) continue;
    tidy(() => {
      const slice = (tensor: Tensor) => tensor.narrow(0, start, end - start);
      const { logits, rows } = judged(network, settings, slice(images), {
        targets: slice(targets),
        weights: weights && slice(weights),
      });
      const { numerator } = anyClassSums(rows.logits, rows.targets, { ...options, weights: rows.weights });
      if (part === 0) summed?.wait();
      if (part === accumulation - 1) sums?.prepare();
      const loss = numerator.div(denominator);
      scaler.scale(loss).backward();
      noGrad(() => {
        total.add_(loss);
        all.narrow(0, start, end - start).copy_(logits);
        if (end > start) largest.copy_(largest.maximum(rows.logits.abs().amax()));
      });
    });
  }
  sums?.finish();
  const metrics = sums?.metrics(total, largest, count) ?? {
    loss: total,
    largestLogit: largest,
    images: count,
  };
  return { ...metrics, logits: all };
}

/** The sums over ranks in a step. */
interface RankSums {
  /** Sums the denominators in place while the network computes. */
  denominator(own: Tensor): distributed.Work<Tensor>;
  /** Call before the last backward of the step: gradients are then summed as they become available. */
  prepare(): void;
  finish(): void;
  metrics(loss: Tensor, largestLogit: Tensor, images: number): Omit<BatchMetrics, 'logits'>;
}

function rankSums({ rank, worldSize, group }: Ranks, optimizer: optim.Optimizer): RankSums {
  let buckets: distributed.GradientBuckets | undefined;
  return {
    denominator: (own) => group.allReduce(own),
    prepare() {
      // Created at the first step, when it is known which parameters train.
      buckets ??= new distributed.GradientBuckets(group, optimizer.parameters);
      buckets.prepare();
    },
    finish: () => buckets?.finish(),
    metrics(loss, largestLogit, images) {
      return noGrad(() => {
        const all = zeros([2 + worldSize], { device: loss.device });
        all.at(0).copy_(loss);
        all.at(1).fill_(images);
        all.at(2 + rank).copy_(largestLogit);
        group.allReduce(all).wait();
        return { loss: all.at(0), largestLogit: all.narrow(0, 2, worldSize).amax(), images: all.at(1) };
      });
    },
  };
}
