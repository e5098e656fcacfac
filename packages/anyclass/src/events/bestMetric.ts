/** Metrics by which the best epoch can be chosen; for `loss` and `bce`, lower is better. */
export const bestMetrics = ['mAP', 'macroF1', 'macroF2', 'f2Ciw', 'f1Neg', 'loss', 'bce'] as const;
export type BestMetric = (typeof bestMetrics)[number];
