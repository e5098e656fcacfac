import {
  decisionBootstrap,
  type FitDecisionOptions,
  fitDecision,
  NumpyRandom,
  type Scored,
} from '@anyclass/core';

/** What a fit takes, in seconds of the processor and in megabytes beyond its input. */
export interface DecisionCost {
  readonly seconds: number;
  readonly megabytes: number;
  readonly inputMegabytes: number;
}

/** The cost of a fit from scores and labels to a decision; the largest resident size tells what it held at once. */
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

/** Seconds of the processor for one of several replicates that refit and judge two models, their preparation shared out. */
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
 * Scores of a fair model: 60% of the rows are negative, the others have each class with a probability of 12%, whose logit is
 * higher by `skill`.
 */
function mostlyNegative(rows: number, classes: number, split: 'validation' | 'test', skill: number): Scored {
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
