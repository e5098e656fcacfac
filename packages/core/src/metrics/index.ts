export { averagePrecision, rocAuc } from './averagePrecision.js';
export { measure } from './measure.js';
export type { MeasureOptions, Threshold } from './measurement.js';
export type { Metrics, UndefinedFigure } from './metrics.js';
export { MetricsAccumulator } from './metricsAccumulator.js';
export { type RankingCurve, rankingCurves } from './rankingCurves.js';
export { type Confusion, fBeta, precision, recall } from './rates.js';
export type { Scored } from './scored.js';
export { type NamedScores, type NamedTargets, scoredByName } from './scoredByName.js';
