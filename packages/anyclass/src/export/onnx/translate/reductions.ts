// Translates norms and reductions.

import { fromFront, type Translation, type Translator, type Translators } from './translation.js';

export const reductions: Translators = {
  mean: reduction('ReduceMean'),
  amax: reduction('ReduceMax'),
  amin: reduction('ReduceMin'),
  logsumexp: reduction('ReduceLogSumExp'),
  norm: (call) => {
    const p = call.optionalNumber('p') ?? 2;
    if (p !== 1 && p !== 2) throw call.refusal(`has exponent ${p}; expected 1 or 2`);
    return reduction(p === 1 ? 'ReduceL1' : 'ReduceL2')(call);
  },
  // The only reduction whose axes are an input in this version of ONNX.
  sum: (call) =>
    call.node('ReduceSum', [call.value('self'), call.graph.integers(axesOf(call))], keepdims(call)),

  batch_norm: (call) => {
    if (call.flag('training', false)) throw call.refusal('is in training mode');
    const parts = ['weight', 'bias', 'running_mean', 'running_var'].map((name) => {
      const part = call.optionalTensor(name);
      if (!part) throw call.refusal(`has no ${name}`);
      return call.graph.valueOf(part);
    });
    const epsilon = { float: call.number('eps', 1e-5) };
    return call.node('BatchNormalization', [call.value('input'), ...parts], { epsilon });
  },
  layer_norm: (call) => {
    const shape = call.list('normalized_shape');
    const [weight, bias] = [call.optionalTensor('weight'), call.optionalTensor('bias')];
    const ones = () =>
      call.graph.floats(new Float32Array(shape.reduce((a, b) => a * b, 1)).fill(1), 'ones', shape);
    const scale = weight ? call.graph.valueOf(weight) : ones();
    const shift = bias ? [call.graph.valueOf(bias)] : [];
    return call.node('LayerNormalization', [call.value('input'), scale, ...shift], {
      axis: { int: -shape.length },
      epsilon: { float: call.number('eps', 1e-5) },
    });
  },
  // A group of channels is normalized as one instance, then each channel gets its own scale and shift.
  group_norm: (call) => {
    const { graph } = call;
    const input = call.tensor('input');
    const groups = call.number('num_groups');
    const [batch = 1, channels, ...map] = input.shape;
    const size = [channels, ...map].reduce((product: number, side) => product * call.fixed(side), 1) / groups;
    const grouped = call.reshaped(call.value('input'), [batch, groups, size]);
    const ones = graph.floats(new Float32Array(groups).fill(1), 'ones');
    const zeros = graph.floats(new Float32Array(groups), 'zeros');
    const epsilon = { float: call.number('eps', 1e-5) };
    const normed = call.reshaped(
      call.node('InstanceNormalization', [grouped, ones, zeros], { epsilon }),
      input.shape,
    );
    const perChannel = (name: string) => {
      const part = call.optionalTensor(name);
      const shape = [-1, ...map.map(() => 1)];
      return part && graph.constant(part, { title: 'channels', of: (x) => x.view(shape) });
    };
    const [weight, bias] = [perChannel('weight'), perChannel('bias')];
    const scaled = weight === undefined ? normed : call.node('Mul', [normed, weight]);
    return bias === undefined ? scaled : call.node('Add', [scaled, bias]);
  },
};

function reduction(operator: string): Translator {
  return (call) =>
    call.node(operator, [call.value('self')], { axes: { ints: axesOf(call) }, ...keepdims(call) });
}

/** Returns the dimensions to reduce: all if none are given. */
function axesOf(call: Translation): number[] {
  const { shape } = call.tensor('self');
  const given = call.optionalList('dim')?.map((axis) => fromFront(axis, shape.length)) ?? [];
  return given.length > 0 ? given : shape.map((_, i) => i);
}

function keepdims(call: Translation) {
  return { keepdims: { int: call.flag('keepdim', false) ? 1 : 0 } };
}
