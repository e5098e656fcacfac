// Translates operators that rearrange elements without changing them.

import { BatchMultiple, type Size, type TracedTensor } from '../graph/trace.js';
import { fromFront, isSameSize, type Translation, type Translator, type Translators } from './translation.js';

const same: Translator = (call) => call.value('self');
const reshape: Translator = (call) => call.reshaped(call.value('self'), call.result.shape);

export const shapes: Translators = {
  // These change at most the memory layout.
  clone: same,
  contiguous: same,
  detach: same,

  view: reshape,
  view_as: reshape,
  reshape,
  flatten: reshape,
  unsqueeze: reshape,
  squeeze: reshape,
  to: converted,
  type_as: converted,

  permute: (call) => transposed(call, call.list('dims')),
  transpose: (call) => {
    const self = call.tensor('self');
    const [a, b] = [call.dimension('dim0', self), call.dimension('dim1', self)];
    const order = self.shape.map((_, i) => (i === a ? b : i === b ? a : i));
    return transposed(call, order);
  },
  expand: (call) => expanded(call, call.value('self'), call.tensor('self').shape),
  expand_as: (call) => expanded(call, call.value('self'), call.tensor('self').shape),
  // The old content of the target is not used.
  copy: (call) => expanded(call, call.value('src'), call.tensor('src').shape),
  repeat: (call) => {
    const [self, repeats] = [call.tensor('self'), call.list('repeats')];
    const ones = repeats.slice(self.shape.length).map(() => 1);
    const value =
      ones.length > 0 ? call.reshaped(call.value('self'), [...ones, ...self.shape]) : call.value('self');
    return call.node('Tile', [value, call.graph.integers(repeats)]);
  },

  cat: (call) => {
    const tensors = call.tensors('tensors');
    const axis = call.dimension('dim', tensors[0]!, 0);
    return call.node(
      'Concat',
      tensors.map((tensor) => call.graph.valueOf(tensor)),
      { axis: { int: axis } },
    );
  },
  stack: (call) => {
    const tensors = call.tensors('tensors');
    const axis = fromFront(call.number('dim', 0), tensors[0]!.shape.length + 1);
    const parts = tensors.map((tensor) =>
      call.reshaped(call.graph.valueOf(tensor), tensor.shape.toSpliced(axis, 0, 1)),
    );
    return call.node('Concat', parts, { axis: { int: axis } });
  },
  chunk: split,
  split,
  unbind: (call) => {
    const parts = split(call);
    return call.results.map(({ shape }, i) => call.reshaped(parts[i]!, shape));
  },

  select: (call) => {
    const self = call.tensor('self');
    const axis = call.dimension('dim', self);
    const position = call.number('index');
    return call.node('Gather', [call.value('self'), call.graph.integers(position)], { axis: { int: axis } });
  },
  narrow: (call) => {
    const self = call.tensor('self');
    const axis = call.dimension('dim', self);
    if (isSameSize(self.shape[axis], call.result.shape[axis])) return call.value('self');
    const start = fromFront(call.number('start'), call.fixed(self.shape[axis]));
    return sliced(call, axis, start, start + call.number('length'));
  },
  slice: (call) => {
    const self = call.tensor('self');
    const axis = call.dimension('dim', self, 0);
    if (isSameSize(self.shape[axis], call.result.shape[axis])) return call.value('self');
    const end = call.optionalNumber('end') ?? Number.MAX_SAFE_INTEGER;
    return sliced(call, axis, call.optionalNumber('start') ?? 0, end, call.number('step', 1));
  },
  roll: (call) => {
    const self = call.tensor('self');
    const axes = call.list('dims').map((axis) => fromFront(axis, self.shape.length));
    if (axes.length === 0) throw call.refusal('has no dimensions');
    return call.list('shifts').reduce((value, shift, i) => {
      const [axis = 0, size] = [axes[i], call.fixed(self.shape[axes[i] ?? 0])];
      const start = ((-shift % size) + size) % size;
      const part = (from: number, to: number) =>
        call.node('Slice', [value, ...[from, to, axis].map((number) => call.graph.integers([number]))]);
      return start === 0
        ? value
        : call.node('Concat', [part(start, size), part(0, start)], { axis: { int: axis } });
    }, call.value('self'));
  },
  flip: (call) => {
    const axes = call.list('dims').map((axis) => fromFront(axis, call.result.shape.length));
    const repeated = (value: number) => call.graph.integers(axes.map(() => value));
    return call.node('Slice', [
      call.value('self'),
      repeated(-1),
      repeated(Number.MIN_SAFE_INTEGER),
      call.graph.integers(axes),
      repeated(-1),
    ]);
  },
  index_select: (call) =>
    call.node('Gather', [call.value('self'), call.value('index')], {
      axis: { int: call.dimension('dim', call.tensor('self')) },
    }),
  embedding: (call) =>
    call.node('Gather', [call.value('weight'), call.value('indices')], { axis: { int: 0 } }),

  // Rearranges cells of r x r pixels with reshape, transpose and reshape, which every runtime has.
  pixel_shuffle: (call) => {
    const r = call.number('upscale_factor');
    const [batch = 1, channels = 1, height = 1, width = 1] = sizesOf(call);
    const cells = call.reshaped(call.value('self'), [batch, channels / r ** 2, r, r, height, width]);
    return call.reshaped(permuted(call, cells, [0, 1, 4, 2, 5, 3]), call.result.shape);
  },
  pixel_unshuffle: (call) => {
    const r = call.number('downscale_factor');
    const [batch = 1, channels = 1, height = 1, width = 1] = sizesOf(call);
    const cells = call.reshaped(call.value('self'), [batch, channels, height / r, r, width / r, r]);
    return call.reshaped(permuted(call, cells, [0, 1, 3, 5, 2, 4]), call.result.shape);
  },
};

function converted(call: Translation): string {
  const [from, to] = [call.tensor('self').dtype, call.result.dtype];
  if (from === to) return call.value('self');
  const types: Readonly<Record<string, number>> = { float32: 1, int64: 7, bool: 9 };
  const type = types[to];
  if (type === undefined) throw call.refusal(`converts to ${to}; expected float32, int64 or bool`);
  return call.node('Cast', [call.value('self')], { to: { int: type } });
}

function transposed(call: Translation, order: readonly number[]): string {
  const dimensions = call.tensor('self').shape.length;
  return permuted(
    call,
    call.value('self'),
    order.map((dimension) => fromFront(dimension, dimensions)),
  );
}

function permuted(call: Translation, value: string, order: readonly number[]): string {
  return order.every((dimension, i) => dimension === i)
    ? value
    : call.node('Transpose', [value], { perm: { ints: order } });
}

/**
 * Expands a value to the shape of the result. Along the batch, a size of 1 in ONNX keeps the existing rows; a
 * value with one row for all images is repeated.
 */
function expanded(call: Translation, value: string, from: readonly Size[]): string {
  const to = call.result.shape;
  const offset = to.length - from.length;
  if (offset === 0 && to.every((size, i) => isSameSize(size, from[i]))) return value;
  const isRepeated = to.some(
    (size, i) => size instanceof BatchMultiple && !isSameSize(size, from[i - offset]),
  );
  const shape = isRepeated
    ? call.graph.sizes(to)
    : call.graph.integers(to.map((size) => (size instanceof BatchMultiple ? 1 : size)));
  return call.node('Expand', [value, shape]);
}

function split(call: Translation): string[] {
  const self = call.tensor('self');
  const axis = call.dimension('dim', self, 0);
  const sizes = call.results.map(({ shape }) =>
    shape.length < self.shape.length ? 1 : call.fixed(shape[axis]),
  );
  if (sizes.length === 1) return [call.value('self')];
  return call.graph.nodeWith('Split', [call.value('self'), call.graph.integers(sizes)], {
    attributes: { axis: { int: axis } },
    outputs: sizes.length,
  });
}

function sliced(call: Translation, axis: number, start: number, end: number, step = 1): string {
  const list = [start, end, axis, step].map((value) => call.graph.integers([value]));
  return call.node('Slice', [call.value('self'), ...list]);
}

function sizesOf(call: Translation): [Size, number, number, number] {
  const { shape }: TracedTensor = call.tensor('self');
  if (shape.length !== 4) throw call.refusal(`takes a tensor of ${shape.length} dimensions; expected 4`);
  return [shape[0]!, call.fixed(shape[1]), call.fixed(shape[2]), call.fixed(shape[3])];
}
