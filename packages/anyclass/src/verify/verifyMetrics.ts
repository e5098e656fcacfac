import { type Metrics, measure } from '@anyclass/core';
import { type Check, compare, worstOfCases } from './check.js';
import type { MetricsCase } from './vectorFile.js';

const tolerance = { relative: 1e-9, floor: 1e-3 };

/** Checks every expected metric by its key. */
export function verifyMetrics(cases: readonly MetricsCase[]): Check[] {
  return worstOfCases(cases, checkCase);
}

function checkCase({ scores, targets, threshold, classImportance, expected }: MetricsCase): Check[] {
  const classNames = (scores[0] ?? []).map((_, j) => `class ${j}`);
  const scored = { scores: Float64Array.from(scores.flat()), targets: targets.flat(), classNames };
  const found = measure(scored, { threshold, ...(classImportance && { classImportance }) });
  return Object.entries(expected).map(([name, value]) =>
    compare(name, numbersOf(found, name), value, tolerance),
  );
}

/** Returns the values of a metric by its key; empty if there is no such metric. */
function numbersOf(metrics: Metrics, key: string): (number | null)[] {
  const value = Object.entries(metrics).find(([name]) => name === key)?.[1];
  const list: unknown[] = Array.isArray(value) ? value : [value];
  return list.filter((entry) => typeof entry === 'number' || entry === null);
}
