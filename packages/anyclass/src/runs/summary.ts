// summary.json: the results of a run.

import type { FittedThresholds, GivenGuarantee, Metrics, NoGuarantee } from '@anyclass/core';
import { z } from 'zod';
import { resumeCommand } from '../errors/userError.js';
import { bestMetrics } from '../events/bestMetric.js';
import type { DecidedMetrics, Intervals, Judgment } from '../events/judgment.js';
import type { RunSummary } from '../events/runSummary.js';
import { readWhole } from '../files/wholeFile.js';
import { classDecision } from './modelFile.js';
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

const judgment = z
  .custom<Judgment & OlderJudgment>(
    (value) => judgedPart.safeParse(value).success,
    'expected a split and its metrics',
  )
  .transform(withDecision);

/** Older versions evaluated with a threshold per class. */
interface OlderJudgment {
  readonly fitted?: {
    readonly thresholds: FittedThresholds;
    readonly metrics: Metrics;
    readonly intervals?: Intervals;
  };
}

function withDecision({ fitted, ...judged }: Judgment & OlderJudgment): Judgment {
  if (judged.decided) return { ...judged, decided: withTodaysGuarantee(judged.decided) };
  if (!fitted) return judged;
  const { rule, beta, presence, thresholds, fittedOn } = classDecision(fitted.thresholds);
  const { metrics, intervals } = fitted;
  return {
    ...judged,
    decided: {
      ...{ rule, beta, presence, thresholds, fittedOn, metrics },
      ...(intervals && { intervals }),
      budget: null,
      validation: null,
    },
  };
}

/** A promise by a version that knew neither groups nor candidates: it named its rate and confidence only. */
function withTodaysGuarantee(decided: DecidedMetrics): DecidedMetrics {
  const { report } = decided;
  const guarantee: (GivenGuarantee & { readonly falseAlarms?: number }) | NoGuarantee | undefined =
    report?.guarantee;
  if (!report || !guarantee?.holds || guarantee.falseAlarms === undefined) return decided;
  const given: GivenGuarantee = {
    holds: true,
    about: 'false alarms',
    rate: guarantee.falseAlarms,
    confidence: guarantee.confidence,
    unit: 'image',
    groups: null,
    candidates: 1,
    exceeding: report.falseAlarms,
    of: report.negatives,
  };
  return { ...decided, report: { ...report, guarantee: given } };
}

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
  validation: judgment,
  test: judgment.optional(),
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
