// Translates matrix products and attention.

import type { TracedTensor } from '../graph/trace.js';
import type { Translation, Translators } from './translation.js';

export const products: Translators = {
  matmul: (call) => call.node('MatMul', [call.value('self'), call.value('other')]),
  mm: (call) => call.node('MatMul', [call.value('self'), call.value('mat2')]),
  bmm: (call) => call.node('MatMul', [call.value('self'), call.value('mat2')]),
  addmm: (call) => {
    const values = [call.value('mat1'), call.value('mat2'), call.value('self')];
    return call.node('Gemm', values, {
      alpha: { float: call.number('alpha', 1) },
      beta: { float: call.number('beta', 1) },
    });
  },
  einsum: (call) =>
    call.node(
      'Einsum',
      call.tensors('tensors').map((tensor) => call.graph.valueOf(tensor)),
      {
        equation: { text: call.text('equation', '') },
      },
    ),
  linear: (call) => {
    const [input, weight, bias] = [call.tensor('input'), call.tensor('weight'), call.optionalTensor('bias')];
    const x = call.graph.valueOf(input);
    if (input.shape.length === 2) {
      const added = bias ? [call.graph.valueOf(bias)] : [];
      return call.node('Gemm', [x, call.graph.valueOf(weight), ...added], { transB: { int: 1 } });
    }
    const product = call.node('MatMul', [x, transposed(call, weight)]);
    return bias ? call.node('Add', [product, call.graph.valueOf(bias)]) : product;
  },
  scaled_dot_product_attention: (call) => {
    if (call.flag('is_causal', false)) throw call.refusal('is causal');
    if (call.number('dropout_p', 0) !== 0) throw call.refusal('drops weights at random');
    const [query, mask] = [call.tensor('query'), call.optionalTensor('attn_mask')];
    const scale = call.optionalNumber('scale') ?? 1 / Math.sqrt(call.fixed(query.shape.at(-1)));
    const scaled = call.node('Mul', [call.value('query'), call.graph.number(scale)]);
    const scores = call.node('MatMul', [scaled, swapped(call, call.value('key'), query.shape.length)]);
    const weights = call.node('Softmax', [mask ? masked(call, scores, mask) : scores], { axis: { int: -1 } });
    return call.node('MatMul', [weights, call.value('value')]);
  },
};

/** Transposes a matrix; a weight is stored transposed. */
function transposed(call: Translation, weight: TracedTensor): string {
  if (weight.constant)
    return call.graph.constant(weight, { title: 'transposed', of: (x) => x.transpose(0, 1) });
  return swapped(call, call.graph.valueOf(weight), 2);
}

/** Swaps the last two dimensions of a value. */
function swapped(call: Translation, value: string, dimensions: number): string {
  const order = Array.from({ length: dimensions }, (_, i) => i);
  order.push(...order.splice(-2).reverse());
  return call.node('Transpose', [value], { perm: { ints: order } });
}

function masked(call: Translation, scores: string, mask: TracedTensor): string {
  const value = call.graph.valueOf(mask);
  if (mask.dtype !== 'bool') return call.node('Add', [scores, value]);
  return call.node('Where', [value, scores, call.graph.number(Number.NEGATIVE_INFINITY)]);
}
