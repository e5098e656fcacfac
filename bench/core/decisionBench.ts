import {
  decisionBootstrap,
  type FitDecisionOptions,
  fitDecision,
  NumpyRandom,
  type Scored,
} from '@anyclass/core';

/** The cost of a fit: CPU seconds, and megabytes in addition to its input. */
export interface DecisionCost {
  readonly seconds: number;
  readonly megabytes: number;
  readonly inputMegabytes: number;
}

/** Measures a fit from scores and labels to a decision; memory is the peak resident size. */
export function decisionBench(rows: number, classes: number, options: FitDecisionOptions): DecisionCost {
  const scored = mostlyNegative(rows, classes, 'validation', 2.5);
  const { rss } = process.memoryUsage();
  const before = process.cpuUsage();
  fitDecision(scored, options);
  const { user, system } = process.cpuUsage(before);
  return {
    seconds: (user + system) / 1e6,
    megabytes: (process.resourceUsage().maxRSS * 1024 - rss) / 1e6,
    inputMegabytes: (scored.scores.byteLength + rows * classes) / 1e6,
  };
}

/** CPU seconds per replicate that refits and evaluates two models, including its share of the preparation. */
export function replicateSeconds(
  rows: number,
  classes: number,
  decision: FitDecisionOptions,
  replicates: number,
): number {
  const models = [2.5, 2.6].map((skill) => ({
    validation: mostlyNegative(rows, classes, 'validation', skill),
    test: mostlyNegative(rows, classes, 'test', skill),
    decision,
  }));
  const before = process.cpuUsage();
  decisionBootstrap(models, { replicates });
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6 / replicates;
}

/**
 * Simulated scores: 60% of the rows are negative; the others have each class with a probability of 12%. The logit of a present class is
 * higher by `skill`.
 */
export function mostlyNegative(
  rows: number,
  classes: number,
  split: 'validation' | 'test',
  skill: number,
): Scored {
  const random = new NumpyRandom(rows + (split === 'test' ? 1 : 0));
  const targets = new Uint8Array(rows * classes);
  const scores = new Float32Array(rows * classes);
  for (let row = 0; row < rows; row++) {
    const share = random.random() < 0.6 ? 0 : 0.12;
    for (let i = row * classes; i < (row + 1) * classes; i++) {
      targets[i] = random.random() < share ? 1 : 0;
      const noise = random.random() + random.random() + random.random() - 1.5;
      scores[i] = 1 / (1 + Math.exp(4 - skill * targets[i]! - 3 * noise));
    }
  }
  const classNames = Array.from({ length: classes }, (_, j) => `class ${j}`);
  return { scores, targets, classNames, split };
}
