// What a model file or an exported file may say about its model: files come from anywhere.

import type { Calibration, Decision, Guard } from '@anyclass/core';
import { z } from 'zod';
import { readingFields } from '../data/dataset/reading/readingFields.js';
import type { DecisionOrigin } from './decisionOrigin.js';

/** Numbers that were NaN are null in JSON. */
const number = z.number().nullish();

const guarantee = z.discriminatedUnion('holds', [
  z.looseObject({
    holds: z.literal(true),
    about: z.enum(['false alarms', 'missed positives']),
    rate: z.number(),
    confidence: z.number(),
    exceeding: z.number(),
    of: z.number(),
  }),
  z.looseObject({
    holds: z.literal(false),
    reason: z.string(),
    of: number,
    needed: number,
    smallestRate: number,
  }),
]);

const outcomes = z.looseObject({ clear: z.number(), review: z.number(), alarm: z.number() });

const report = z.looseObject({
  positives: z.number(),
  negatives: z.number(),
  undecided: number,
  falseAlarms: number,
  falseAlarmRate: number,
  falseAlarmBound: number,
  f1Neg: number,
  macroFBeta: number,
  perClassFBeta: z.array(z.number().nullable()),
  withinBudget: z.boolean(),
  guarantee,
  triage: z
    .looseObject({ rows: outcomes, positives: outcomes, negatives: outcomes, missedRate: number, guarantee })
    .nullish(),
  neverPredicted: z.array(z.string()),
  remarks: z.array(z.string()),
});

const budget = z.union([
  z.looseObject({ falseAlarms: z.number(), missed: z.number().optional(), confidence: number }),
  z.looseObject({ f1Neg: z.union([z.number(), z.literal('at 0.5')]) }),
]);

const cutoffs = {
  rule: z.enum(['gate', 'shared', 'class', 'fixed']),
  budget,
  presence: z.number().nullable(),
  clear: number,
  thresholds: z.array(z.number().nullable()),
};

/** A decision of an earlier version has no `clear`, `presenceFrom` and `candidates`. */
export const decisionField = checkedBy<Decision>(
  z
    .looseObject({
      ...cutoffs,
      classNames: z.array(z.string()),
      presenceFrom: z.enum(['scores', 'given']).optional(),
      candidates: z.union([z.number(), z.literal('adaptive')]).optional(),
      fittedOn: z.string().nullish(),
      fingerprint: z.string().nullish(),
      report,
    })
    .refine(({ classNames, thresholds }) => classNames.length === thresholds.length, {
      path: ['thresholds'],
      message: 'expected one for each class',
    }),
);

export const originField = checkedBy<DecisionOrigin>(
  z.looseObject({
    data: z.string(),
    date: z.string(),
    replaces: z.looseObject({ ...cutoffs, promises: z.array(z.string()) }),
  }),
);

export const guardField = checkedBy<Guard>(
  z.looseObject({
    quantile: z.number(),
    brightness: z.array(z.number()).length(2),
    contrast: z.number(),
    overexposed: z.number(),
    color: z.array(z.number()).length(2).nullable(),
    training: z
      .looseObject({ width: z.int(), mean: z.array(z.number()), vectors: z.string(), farthest: z.number() })
      .refine(({ width, mean }) => mean.length === width, {
        path: ['mean'],
        message: 'expected width numbers',
      })
      .nullable(),
  }),
);

export const calibrationField = checkedBy<Calibration>(
  z.union([
    z.looseObject({ kind: z.literal('temperature'), temperature: z.number() }),
    z.looseObject({
      kind: z.literal('platt'),
      slopes: z.array(z.number()),
      intercepts: z.array(z.number()),
    }),
  ]),
);

const classNames = z.array(z.string()).min(1);

/** Of pixel values from 0 to 1: one number per channel, or one for all. */
export const channelNumbers = z
  .array(z.number())
  .refine(({ length }) => length === 1 || length === 3, 'expected one number, or one per channel');

const input = z.union([
  z.looseObject({ features: z.array(z.string()).min(1) }),
  z.looseObject({
    channels: z.union([z.literal(1), z.literal(3)]),
    mean: channelNumbers,
    std: channelNumbers,
    ...readingFields,
  }),
]);

/** The description in the metadata of a model file. */
export const describedModel = z
  .looseObject({
    classes: classNames,
    epoch: z.number(),
    loss: z.string(),
    dataset: z.string(),
    classImportance: z.array(z.number()).optional(),
    calibration: calibrationField.optional(),
    decision: decisionField.optional(),
    decisionOrigin: originField.optional(),
    guard: guardField.optional(),
  })
  .and(input)
  .refine(({ classes, decision }) => !decision || decision.classNames.join('\n') === classes.join('\n'), {
    path: ['decision', 'classNames'],
    message: 'expected the classes of the model',
  });

/** A value that fits a schema, with all that the schema does not name. */
export function checkedBy<Value>(schema: z.ZodType): z.ZodType<Value> {
  return z.custom<Value>().superRefine((value, context) => {
    const issue = schema.safeParse(value).error?.issues[0];
    if (issue)
      context.addIssue({ code: 'custom', path: issue.path, message: issue.message, continue: false });
  });
}
