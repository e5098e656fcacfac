// One or more legal calls to every generated function. Their gradients are checked against finite differences, and the
// wrong-call test changes some of their arguments.

import { elementwise, products, reductions } from './arithmetic.js';
import type { OperatorExample } from './example.js';
import { layers, losses } from './layers.js';
import { factories, indexing, lists, shapes } from './structure.js';

/** Functions that need a newer libtorch or a GPU. */
export const notEverywhere: ReadonlySet<string> = new Set([
  'ampForeachUnscale_',
  'ampUpdateScale_',
  'foreachMulTensor_',
  'cudnnConvolutionAddRelu',
  'efficientAttention',
  'scaledDotProductAttention',
  'fusedSgd_',
  'fusedAdamW_',
]);

export const operatorExamples: readonly OperatorExample[] = [
  ...elementwise,
  ...products,
  ...reductions,
  ...shapes,
  ...indexing,
  ...layers,
  ...losses,
  ...factories,
  ...lists,
];
