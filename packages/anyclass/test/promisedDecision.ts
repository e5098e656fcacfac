/** How tests of comparisons decide. */
export const decision = {
  rule: 'gate',
  budget: { falseAlarms: 0.05, confidence: 0.95 },
  beta: 1,
} as const;

/** The same, fitted on a validation split with enough negatives for its promise. */
export const promisedDecision = {
  ...decision,
  fittedOn: 'validation',
  guarantee: {
    holds: true,
    about: 'false alarms',
    rate: decision.budget.falseAlarms,
    confidence: decision.budget.confidence,
    unit: 'image',
    groups: null,
    candidates: 1,
    exceeding: 12,
    of: 400,
  },
} as const;
