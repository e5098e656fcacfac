// One legal call or more of every generated function: their gradients are checked against finite differences, and the
// test of wrong calls changes one argument or another.

import { elementwise, products, reductions } from './arithmetic.js';
import type { OperatorExample } from './example.js';
import { layers, losses } from './layers.js';
import { factories, indexing, lists, shapes } from './structure.js';

/** These ask for a newer libtorch, or for a GPU. */
export const notEverywhere: ReadonlySet<string> = new Set([
  'ampForeachUnscale_',
  'ampUpdateScale_',
  'foreachMulTensor_',
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
