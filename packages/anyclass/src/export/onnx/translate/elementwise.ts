// Translates operators that work on each element by itself.

import type { Translation, Translator, Translators } from './translation.js';

export const elementwise: Translators = {
  abs: unary('Abs'),
  atan: unary('Atan'),
  ceil: unary('Ceil'),
  cos: unary('Cos'),
  erf: unary('Erf'),
  exp: unary('Exp'),
  floor: unary('Floor'),
  isnan: unary('IsNaN'),
  log: unary('Log'),
  logical_not: unary('Not'),
  neg: unary('Neg'),
  reciprocal: unary('Reciprocal'),
  relu: unary('Relu'),
  round: unary('Round'),
  sigmoid: unary('Sigmoid'),
  sign: unary('Sign'),
  sin: unary('Sin'),
  sqrt: unary('Sqrt'),
  tanh: unary('Tanh'),
  rsqrt: (call) => call.node('Reciprocal', [call.node('Sqrt', [call.value('self')])]),
  square: (call) => call.node('Mul', [call.value('self'), call.value('self')]),

  add: (call) => call.node('Add', [call.operand('self'), scaledOther(call)]),
  sub: (call) => call.node('Sub', [call.operand('self'), scaledOther(call)]),
  mul: binary('Mul'),
  div: binary('Div'),
  maximum: binary('Max'),
  minimum: binary('Min'),
  eq: binary('Equal'),
  ne: (call) => call.node('Not', [call.node('Equal', [call.operand('self'), call.operand('other')])]),
  lt: binary('Less'),
  le: binary('LessOrEqual'),
  gt: binary('Greater'),
  ge: binary('GreaterOrEqual'),
  logical_and: binary('And'),
  logical_or: binary('Or'),
  logical_xor: binary('Xor'),
  pow: (call) => call.node('Pow', [call.operand('self'), call.operand('exponent')]),
  addcmul: (call) => {
    const product = call.node('Mul', [call.value('tensor1'), call.value('tensor2')]);
    return call.node('Add', [call.value('self'), scaled(call, product, call.number('value', 1))]);
  },
  where: (call) => call.node('Where', [call.value('condition'), call.operand('self'), call.operand('other')]),
  masked_fill: (call) => call.node('Where', [call.value('mask'), call.operand('value'), call.value('self')]),

  clamp: (call) => clipped(call, call.optionalNumber('min'), call.optionalNumber('max')),
  elu: (call) => {
    if (call.number('scale', 1) !== 1 || call.number('input_scale', 1) !== 1)
      throw call.refusal('has a scale other than 1');
    return call.node('Elu', [call.value('self')], { alpha: { float: call.number('alpha', 1) } });
  },
  leaky_relu: (call) =>
    call.node('LeakyRelu', [call.value('self')], { alpha: { float: call.number('negative_slope', 0.01) } }),
  hardsigmoid: hardSigmoid,
  hardswish: (call) => call.node('Mul', [call.value('self'), hardSigmoid(call)]),
  silu: (call) => call.node('Mul', [call.value('self'), call.node('Sigmoid', [call.value('self')])]),
  gelu: (call) => (call.text('approximate', 'none') === 'tanh' ? tanhGelu(call) : erfGelu(call)),
  softplus: (call) => {
    if (call.number('beta', 1) !== 1) throw call.refusal('has a beta other than 1');
    return call.node('Softplus', [call.value('self')]);
  },
  log_sigmoid: (call) => call.node('Neg', [call.node('Softplus', [call.node('Neg', [call.value('self')])])]),
  softmax: (call) => call.node('Softmax', [call.value('self')], axis(call)),
  log_softmax: (call) => call.node('LogSoftmax', [call.value('self')], axis(call)),

  dropout: (call) => {
    if (call.flag('train', false)) throw call.refusal('is in training mode');
    return call.graph.valueOf(call.tensor('input'));
  },
};

function unary(operator: string): Translator {
  return (call) => call.node(operator, [call.value('self')]);
}

function binary(operator: string): Translator {
  return (call) => call.node(operator, [call.operand('self'), call.operand('other')]);
}

function hardSigmoid(call: Translation): string {
  return call.node('HardSigmoid', [call.value('self')], { alpha: { float: 1 / 6 }, beta: { float: 0.5 } });
}

function axis(call: Translation) {
  return { axis: { int: call.dimension('dim', call.tensor('self')) } };
}

function scaledOther(call: Translation): string {
  return scaled(call, call.operand('other'), call.number('alpha', 1));
}

function scaled(call: Translation, value: string, factor: number): string {
  return factor === 1 ? value : call.node('Mul', [value, call.graph.number(factor)]);
}

function clipped(call: Translation, least: number | undefined, most: number | undefined): string {
  const bound = (value: number | undefined) => (value === undefined ? '' : call.graph.number(value));
  const bounds = most === undefined ? [bound(least)] : [bound(least), bound(most)];
  return call.node('Clip', [call.value('self'), ...bounds]);
}

// x · (1 + erf(x / √2)) · 0.5, in the form that runtimes recognize and compute in one pass.
function erfGelu(call: Translation): string {
  const { graph } = call;
  const x = call.value('self');
  const erf = call.node('Erf', [call.node('Div', [x, graph.number(Math.SQRT2)])]);
  return call.node('Mul', [
    call.node('Mul', [x, call.node('Add', [erf, graph.number(1)])]),
    graph.number(0.5),
  ]);
}

// x · (1 + tanh(√(2/π) · (x + 0.044715 x³))) · 0.5
function tanhGelu(call: Translation): string {
  const { graph } = call;
  const x = call.value('self');
  const cube = call.node('Pow', [x, graph.number(3)]);
  const sum = call.node('Add', [x, call.node('Mul', [cube, graph.number(0.044715)])]);
  const tanh = call.node('Tanh', [call.node('Mul', [sum, graph.number(Math.sqrt(2 / Math.PI))])]);
  const doubled = call.node('Mul', [x, call.node('Add', [tanh, graph.number(1)])]);
  return call.node('Mul', [doubled, graph.number(0.5)]);
}
