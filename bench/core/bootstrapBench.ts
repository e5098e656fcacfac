import { bootstrap } from '@anyclass/core';
import { scoredRows } from './averagePrecisionBench.js';
import { secondsOf } from './timing.js';

/** Seconds of a bootstrap of all metrics. */
export function bootstrapBench(rows: number, classes: number, replicates: number): number {
  const classNames = Array.from({ length: classes }, (_, j) => `class ${j}`);
  const scored = { ...scoredRows(rows, classes), classNames };
  return secondsOf(() => bootstrap(scored, { replicates }), 1, 0)[0]!;
}
