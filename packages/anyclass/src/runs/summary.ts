// summary.json: the results of a run.

import { z } from 'zod';
import { resumeCommand } from '../errors/userError.js';
import { bestMetrics } from '../events/bestMetric.js';
import type { Judgment } from '../events/judgment.js';
import type { RunSummary } from '../events/runSummary.js';
import { readWhole } from '../files/wholeFile.js';
import type { RunPaths } from './runFolder.js';

/** The required part of a judgment in a file: the metrics that reports use. */
const judgedPart = z.object({
  split: z.string(),
  metrics: z.object({
    perClassF1: z.array(z.number()),
    perClassF2: z.array(z.number()),
    perClassAP: z.array(z.number().nullable()),
    undefinedMetrics: z.array(z.unknown()),
  }),
});

const judgment = z.custom<Judgment>(
  (value) => judgedPart.safeParse(value).success,
  'expected a split and its metrics, as this version writes them',
);

const oddImages = z.object({
  images: z.number(),
  odd: z.number(),
  reasons: z.record(z.string(), z.number()),
});

const runSummary = z.object({
  dataset: z.string(),
  network: z.string(),
  loss: z.string(),
  classes: z.array(z.string()),
  epochs: z.number(),
  bestEpoch: z.number(),
  bestBy: z.enum(bestMetrics),
  isLastInstead: z.boolean().optional(),
  isLastKept: z.boolean().optional(),
  bestValue: z.number().nullable(),
  validation: judgment,
  test: judgment.optional(),
  guard: z.object({ quantile: z.number(), validation: oddImages, test: oddImages.optional() }).optional(),
  quarantined: z.array(
    z.object({
      row: z.number(),
      name: z.string(),
      reason: z.string(),
      missing: z.boolean().optional(),
    }),
  ),
});

/** Reads the results of a finished run from its folder. */
export function readSummary({ folder, summary }: RunPaths): RunSummary {
  return readWhole(summary, runSummary, 'resume the run to rewrite it', resumeCommand(folder));
}
