/** What the best epoch can be chosen by; `loss` and `bce` are better when lower. */
export const bestMetrics = ['mAP', 'macroF1', 'macroF2', 'f2Ciw', 'f1Neg', 'loss', 'bce'] as const;
export type BestMetric = (typeof bestMetrics)[number];
