// How a network is usually trained further from published weights, for the recipe `fine-tuning`.

/** What a network's file says about it; the rest is that of most networks. */
export interface FineTuning {
  /** The trunk's learning rate as a fraction of the new last layer's. */
  readonly trunkRate: number;
  /** The first layer's rate as a fraction of the trunk's last. */
  readonly layerRate: number;
  /** Epochs in which only the last layer trains, which starts at random. */
  readonly frozenEpochs: number;
  /** The learning rate of the last layer, with AdamW. */
  readonly rate: number;
  readonly weightDecay: number;
  /** Lower than from scratch, since there are fewer images and epochs; undefined for networks without it. */
  readonly stochasticDepth?: number;
}

/** For networks with batch norm: one rate for the whole trunk. */
const usual: FineTuning = { trunkRate: 0.1, layerRate: 1, frozenEpochs: 1, rate: 1e-3, weightDecay: 0.01 };

/**
 * Returns how a network is trained further, from what differs from most.
 *
 * @example
 * fineTuningOf({ layerRate: 0.04 }) // { trunkRate: 0.1, layerRate: 0.04, frozenEpochs: 1, rate: 0.001, weightDecay: 0.01 }
 */
export function fineTuningOf(own: Partial<FineTuning> = {}): FineTuning {
  return { ...usual, ...own };
}

/**
 * The first layer's rate if each of twelve groups of layers has this fraction of the next one's: papers state this decay.
 *
 * @example
 * layerDecay(0.75) // 0.042
 */
export function layerDecay(perGroup: number): number {
  return Number((perGroup ** 11).toPrecision(2));
}

/**
 * Whether a parameter belongs to the first stages of a network, given the prefixes of each stage's names.
 *
 * @example
 * isInFirstStages('layer1.0.conv1.weight', ['conv1. bn1.', 'layer1.', 'layer2.'], 2) // true
 */
export function isInFirstStages(name: string, stages: readonly string[], count: number): boolean {
  return stages
    .slice(0, count)
    .some((prefixes) => prefixes.split(' ').some((prefix) => name.startsWith(prefix)));
}
