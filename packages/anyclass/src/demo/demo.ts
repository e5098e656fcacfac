// The main workflow at small scale: trains the same network twice on the embedded dataset of handwritten
// digits, with the strongest standard loss and with the any-class term added to it. Both are evaluated on the
// test images at a threshold of 0.5, and with a decision that keeps false alarms at 5%. Nothing is
// downloaded.

import {
  bootstrapDecisions,
  type Difference,
  describeFalseAlarms,
  fitDecision,
  measure,
  pairedBootstrap,
  type SeedReplicates,
  seedDifference,
} from '@anyclass/core';
import { type DemoLoss, type DemoModel, type DemoOptions, demoModel } from './demoRun.js';

/**
 * A presence gate and a threshold per class: the best F1 with at most 5% false alarms, guaranteed with 95%
 * confidence.
 */
const gate = { rule: 'gate', budget: { falseAlarms: 0.05, confidence: 0.95 } } as const;
const atHalf = { rule: 'fixed' } as const;

export type DemoDecision = 'at 0.5' | 'gate';

export interface DemoMetrics {
  readonly loss: DemoLoss;
  readonly decision: DemoDecision;
  readonly macroF1: number | null;
  readonly f1Neg: number | null;
  readonly falseAlarmRate: number | null;
  readonly mAP: number | null;
}

/** The effect of one choice. */
export interface DemoComparison {
  /** What is compared, for example `any-bce − bce, gate`. */
  readonly title: string;
  /** The choice in words. */
  readonly choice: string;
  readonly macroF1: Difference | null;
  readonly falseAlarmRate: Difference | null;
}

export interface DemoResult {
  readonly runs: readonly { readonly loss: DemoLoss; readonly folder: string }[];
  /** Metrics on the test images. */
  readonly metrics: readonly DemoMetrics[];
  /** For each loss, the false alarms of the gate on the images that it was fitted on. */
  readonly falseAlarms: readonly { readonly loss: DemoLoss; readonly text: string }[];
  readonly comparisons: readonly DemoComparison[];
  readonly mAP: Difference | null;
  /** Number of bootstrap replicates. */
  readonly draws: number;
}

/**
 * Trains, fits decisions and evaluates; returns undefined if training was interrupted. Finished runs are not
 * trained again.
 *
 * @example
 * const result = await runDemo({ seed: 1, epochs: 6, out: 'runs/demo' });
 * result?.comparisons[0]?.macroF1 // any-bce − bce at 5% false alarms, with its interval
 */
export async function runDemo(
  options: DemoOptions,
  { seconds = 10 }: { readonly seconds?: number } = {},
): Promise<DemoResult | undefined> {
  const bce = await demoModel('bce', options);
  const anyBce = bce && (await demoModel('any-bce', options));
  if (!anyBce) return undefined;
  const models = [bce, anyBce];
  options.onEvent?.({ type: 'note', text: `Comparing with a paired bootstrap, for at least ${seconds} s` });
  return {
    runs: models.map(({ loss, folder }) => ({ loss, folder })),
    metrics: models.flatMap((model) => [metricsAt('at 0.5', model), metricsAt('gate', model)]),
    falseAlarms: models.map(({ loss, validation }) => ({
      loss,
      text: describeFalseAlarms(fitDecision(validation, gate)),
    })),
    ...compared(models, seconds),
    mAP: pairedBootstrap(bce.test, anyBce.test, { seed: 1 }).overall.mAP,
  };
}

function metricsAt(decision: DemoDecision, { loss, validation, test }: DemoModel): DemoMetrics {
  const threshold = decision === 'gate' ? fitDecision(validation, gate) : 0.5;
  const { macroF1, f1Neg, falseAlarmRate, mAP } = measure(test, { threshold });
  return { loss, decision, macroF1, f1Neg, falseAlarmRate, mAP };
}

/**
 * Each replicate resamples the validation images, fits every decision on them, and evaluates it on resampled
 * test images.
 */
function compared(models: readonly DemoModel[], seconds: number): Pick<DemoResult, 'comparisons' | 'draws'> {
  const decided = models.flatMap((model) => [atHalf, gate].map((decision) => ({ ...model, decision })));
  const [bceHalf, bceGate, anyHalf, anyGate] = bootstrapDecisions(decided, { seconds, seed: 1 });
  const comparison = (title: string, choice: string, first: SeedReplicates, second: SeedReplicates) => {
    const { macroF1, falseAlarmRate } = seedDifference(first, second);
    return { title, choice, macroF1, falseAlarmRate };
  };
  return {
    comparisons: [
      comparison('any-bce − bce, gate', 'The any-class term, at the same false alarms', bceGate!, anyGate!),
      comparison('any-bce − bce, at 0.5', 'The any-class term, at a threshold of 0.5', bceHalf!, anyHalf!),
      comparison('gate − 0.5, bce', 'The gate instead of a threshold of 0.5', bceHalf!, bceGate!),
    ],
    draws: bceGate!.replicates.length,
  };
}
