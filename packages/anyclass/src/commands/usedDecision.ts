// The decision that the options of predict and serve request.

import { z } from 'zod';
import type { Terminal } from '../commandLine/terminal.js';
import { UsageError } from '../errors/usageError.js';
import { decisionText } from '../inference/decide.js';
import { type ChosenDecision, refitDecision } from '../inference/modelDecision.js';
import { chosenDecision, type GivenDecision } from './decisionOptions.js';

export const thresholdField = z
  .number()
  .min(0)
  .max(1)
  .optional()
  .describe("one threshold for all classes, instead of the model's decision");

/**
 * Returns the decision that the options request, or undefined for the model's own. Refits it if needed and
 * reports it with its metrics.
 */
export async function usedDecision(
  options: GivenDecision & { readonly model: string; readonly threshold?: number | undefined },
  terminal: Terminal,
): Promise<ChosenDecision | undefined> {
  const { model, threshold, rule, falseAlarms, f1Neg, confidence, beta } = options;
  const given = { falseAlarms, f1Neg, confidence, beta };
  if (threshold !== undefined) {
    const hasOthers = Object.values(given).some((value) => value !== undefined);
    if (hasOthers || (rule !== undefined && rule !== 'fixed'))
      throw new UsageError('cannot be combined with other decision options', 'threshold');
    return threshold;
  }
  const fit = chosenDecision({ ...given, rule });
  if (Object.keys(fit).length === 0) return undefined;
  if (rule === 'fixed') return 0.5;
  const refitted = await refitDecision(model, fit, (text) => terminal.note(text));
  terminal.note(decisionText(refitted));
  const { test } = refitted;
  if (test) {
    const alarms =
      test.falseAlarmRate === null ? '' : `, false alarms ${(100 * test.falseAlarmRate).toFixed(2)}%`;
    terminal.note(`on test: F1 ${(100 * test.macroF1).toFixed(2)}${alarms}`);
  }
  return fit;
}
