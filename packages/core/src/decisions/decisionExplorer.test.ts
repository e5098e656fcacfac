import fc from 'fast-check';
import { expect, test } from 'vitest';
import { measure } from '../metrics/measure.js';
import { OUTCOMES } from '../metrics/outcomes.js';
import type { Scored } from '../metrics/scored.js';
import { applyDecision } from './applyDecision.js';
import { decisionExplorer } from './decisionExplorer.js';
import { type FitDecisionOptions, fitDecision } from './fitDecision.js';

/** Rows of which the first is positive and the second negative; with ties, unknown labels, groups and given presence. */
const scoredRows = fc
  .record({
    rows: fc.integer({ min: 2, max: 60 }),
    classes: fc.integer({ min: 1, max: 4 }),
    hasGroups: fc.boolean(),
    hasPresence: fc.boolean(),
    isFloat32: fc.boolean(),
  })
  .chain(({ rows, classes, hasGroups, hasPresence, isFloat32 }) =>
    fc.record({
      scores: fc
        .array(fc.integer({ min: 0, max: 20 }), { minLength: rows * classes, maxLength: rows * classes })
        .map((values) => Float64Array.from(values, (value) => value / 20))
        .map((values) => (isFloat32 ? Float32Array.from(values) : values)),
      targets: fc
        .array(fc.constantFrom(0, 0, 0, 1, Number.NaN), {
          minLength: rows * classes,
          maxLength: rows * classes,
        })
        .map((values) => values.map((value, i) => (i < classes ? 1 : i < 2 * classes ? 0 : value))),
      groups: fc
        .array(fc.integer({ min: 0, max: 9 }), { minLength: rows, maxLength: rows })
        .map((codes) => (hasGroups ? codes.map((code) => `g${code}`) : undefined)),
      presence: fc
        .array(fc.integer({ min: 0, max: 30 }), { minLength: rows, maxLength: rows })
        .map((values) => (hasPresence ? Float64Array.from(values, (value) => value / 7) : undefined)),
      classNames: fc.constant(Array.from({ length: classes }, (_, j) => `class ${j}`)),
      split: fc.constant('validation'),
    }),
  );

const share = fc.integer({ min: 0, max: 40 }).map((value) => value / 100);
const fitOptions = fc.array(
  fc.record({
    budget: fc.oneof(
      fc.record({ falseAlarms: share, confidence: fc.constantFrom(0.95, 0.6, null) }),
      fc.record({ falseAlarms: share, missed: share, confidence: fc.constantFrom(0.95, 0.5, null) }),
    ),
    kappa: fc.constantFrom(0, 10),
    candidates: fc.constantFrom<(number | 'adaptive')[]>(1, 4, 'adaptive'),
  }),
  { minLength: 1, maxLength: 4 },
);

test('one decision after another is what fitDecision and measure return, number for number', () => {
  fc.assert(
    fc.property(scoredRows, fitOptions, ({ groups, presence, ...rest }, several) => {
      const scored: Scored = { ...rest, ...(groups && { groups }), ...(presence && { presence }) };
      const explorer = decisionExplorer(scored);
      for (const options of several satisfies FitDecisionOptions[]) {
        const { decision, metrics, outcomes } = explorer.fit(options);
        expect(decision).toEqual(fitDecision(scored, options));
        expect(metrics).toEqual(measure(scored, { threshold: decision, allowSameSplit: true }));
        const applied = applyDecision(rest.scores, decision, { presence });
        expect(Array.from(outcomes, (code) => OUTCOMES[code])).toEqual(applied.outcomes);
        expect(explorer.apply(decision)).toEqual({ metrics, outcomes });
      }
    }),
    { numRuns: 150 },
  );
});

test('a decision for other classes is refused', () => {
  const scored = {
    scores: new Float64Array([0.9, 0.1]),
    targets: [1, 0],
    classNames: ['crack'],
    split: 'validation',
  };
  const decision = fitDecision(scored, { budget: { falseAlarms: 0.05, confidence: null } });
  expect(() => decisionExplorer({ ...scored, classNames: ['roots'] }).apply(decision)).toThrow(/crack/);
});
