import { describe, expect, test } from 'vitest';
import {
  decisionRunNames,
  hasDecisionRuns,
  readDecisionRun,
  readReference,
} from '../../test/decisionRuns.js';
import { measure } from '../metrics/measure.js';
import type { DecisionBudget } from './decision.js';
import { decisionFitter } from './fitDecision.js';

const budgets: Record<string, DecisionBudget> = {
  'gate, false alarms at most 5%': { falseAlarms: 0.05, confidence: null },
  'gate, F1-Neg not below floor': { f1Neg: 'at 0.5' },
};

describe.skipIf(!hasDecisionRuns)('on saved logits of trained models (needs the files)', () => {
  test.each(decisionRunNames)(
    '%s gets decisions as good as those of an independent implementation',
    (name) => {
      const { validation, test: elsewhere } = readDecisionRun(name);
      const reference = readReference()[name]!;
      const fit = decisionFitter(validation);
      for (const [rule, budget] of Object.entries(budgets)) {
        const expected = reference[rule]!;
        const decision = fit({ budget, kappa: 0 });
        // The reference is rounded to three digits.
        expect(100 * decision.report.macroFBeta).toBeGreaterThanOrEqual(
          expected['validation macroF1']! - 5e-4,
        );
        expect(decision.report.withinBudget).toBe(true);
        const { macroF1 } = measure(elsewhere, { threshold: decision });
        expect(Math.abs(100 * macroF1 - expected.macroF1)).toBeLessThan(0.5);
      }
    },
  );

  test.each(decisionRunNames)(
    'by default %s keeps 5% false alarms on test, at 1.5 times the F1 of 0.5',
    (name) => {
      const { validation, test: elsewhere } = readDecisionRun(name);
      const decision = decisionFitter(validation)();
      const decided = measure(elsewhere, { threshold: decision });
      expect(decision.report.guarantee.holds).toBe(true);
      expect(decided.falseAlarmRate).toBeLessThanOrEqual(0.05);
      expect(decided.macroF1).toBeGreaterThan(1.5 * measure(elsewhere).macroF1);
    },
  );
});
