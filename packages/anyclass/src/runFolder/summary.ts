import { z } from 'zod';
import { type BestMetric, bestMetrics } from '../configuration/schema.js';
import type { Quarantined } from '../data/images/quarantine.js';
import type { Judgement } from '../evaluation/judge.js';
import { readWhole } from '../files/wholeFile.js';
import type { RunPaths } from './runFolder.js';

/** summary.json: what a run reached. */
export interface RunSummary {
  readonly dataset: string;
  readonly network: string;
  readonly loss: string;
  readonly classes: readonly string[];
  /** Epochs trained; fewer than asked for after an early stop. */
  readonly epochs: number;
  /** The epoch whose weights are the result, and by what it was chosen. */
  readonly bestEpoch: number;
  readonly bestBy: BestMetric;
  /** Whether the last epoch is judged because the weights of the best were lost, or nothing could tell which is. */
  readonly isLastInstead?: boolean | undefined;
  /** Null where the metric was not defined. */
  readonly bestValue: number | null;
  /** At 0.5: the data that thresholds and calibration were fitted on. */
  readonly validation: Judgement;
  /** Judged once, with the chosen weights; left out where the test split has no labels. */
  readonly test?: Judgement | undefined;
  readonly quarantined: readonly Quarantined[];
}

/** What is asked of a judgement in a file: the figures that reports take from it. */
const judgedPart = z.object({
  split: z.string(),
  metrics: z.object({
    perClassF1: z.array(z.number()),
    perClassF2: z.array(z.number()),
    perClassAP: z.array(z.number().nullable()),
  }),
});

const judgement = z.custom<Judgement>(
  (value) => judgedPart.safeParse(value).success,
  'expected a split and its metrics',
);

const runSummary = z.object({
  dataset: z.string(),
  network: z.string(),
  loss: z.string(),
  classes: z.array(z.string()),
  epochs: z.number(),
  bestEpoch: z.number(),
  bestBy: z.enum(bestMetrics),
  isLastInstead: z.boolean().optional(),
  bestValue: z.number().nullable(),
  validation: judgement,
  test: judgement.optional(),
  quarantined: z.array(z.object({ row: z.number(), name: z.string(), reason: z.string() })),
});

/** What a finished run reached, from its folder. */
export function readSummary({ folder, summary }: RunPaths): RunSummary {
  return readWhole(summary, runSummary, `write it again with: anyclass train --resume ${folder}`);
}
