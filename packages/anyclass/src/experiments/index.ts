export {
  type Comparison,
  type ComparisonOptions,
  compareRuns,
  type FigureDifferences,
  type FigureSpreads,
  type GroupFigures,
  type HeldDifference,
  type MethodDifference,
} from './comparison.js';
export { comparisonTables } from './comparisonTables.js';
export type { Spread } from './figures.js';
export { type JudgedSplit, type NamedScores, type Run, readRun, readRuns } from './readRuns.js';
export type { Recommendation, Sweep, SweepPoint } from './sweep.js';
