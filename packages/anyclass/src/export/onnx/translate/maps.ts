// Translates operators on feature maps [batch, channels, height, width]: convolutions, pooling, padding,
// upsampling.

import type { Translation, Translators } from './translation.js';

export const maps: Translators = {
  conv2d: (call) => {
    const { graph } = call;
    const bias = call.optionalTensor('bias');
    const inputs = [call.value('input'), call.value('weight'), ...(bias ? [graph.valueOf(bias)] : [])];
    return call.node('Conv', inputs, {
      dilations: { ints: call.list('dilation', 2, 1) },
      group: { int: call.number('groups', 1) },
      kernel_shape: {
        ints: call
          .tensor('weight')
          .shape.slice(2)
          .map((size) => call.fixed(size)),
      },
      pads: { ints: bothSides(call.list('padding', 2, 0)) },
      strides: { ints: call.list('stride', 2, 1) },
    });
  },
  max_pool2d: (call) => {
    const window = windowOf(call, call.list('dilation', 2, 1));
    return call.node('MaxPool', [call.value('self')], {
      dilations: { ints: window.dilation },
      kernel_shape: { ints: window.kernel },
      pads: { ints: window.pads },
      strides: { ints: window.stride },
    });
  },
  avg_pool2d: (call) => {
    if (call.optionalNumber('divisor_override') !== undefined) throw call.refusal('overrides its divisor');
    const window = windowOf(call, [1, 1]);
    const padding = call.list('padding', 2, 0);
    const counts = call.flag('count_include_pad', true) && padding.some((size) => size > 0);
    // The part of the last window beyond the edge never counts, but padding may; ONNX pools cannot tell the
    // two apart.
    if (counts && window.isBeyond)
      throw call.refusal('counts padding while its windows extend past the edge');
    return call.node('AveragePool', [call.value('self')], {
      count_include_pad: { int: counts ? 1 : 0 },
      kernel_shape: { ints: window.kernel },
      pads: { ints: window.pads },
      strides: { ints: window.stride },
    });
  },
  adaptive_avg_pool2d: (call) => {
    const [from, to] = [mapSize(call, call.tensor('self').shape), call.list('output_size', 2)];
    if (to.every((size) => size === 1)) return call.node('GlobalAveragePool', [call.value('self')]);
    const kernel = from.map((size, i) => size / to[i]!);
    if (!kernel.every(Number.isInteger))
      throw call.refusal(`makes ${to.join('x')} windows of unequal size from ${from.join('x')} pixels`);
    return call.node('AveragePool', [call.value('self')], {
      kernel_shape: { ints: kernel },
      strides: { ints: kernel },
    });
  },
  pad: (call) => {
    const modes: Readonly<Record<string, string>> = {
      constant: 'constant',
      reflect: 'reflect',
      replicate: 'edge',
    };
    const mode = modes[call.text('mode', 'constant')];
    if (mode === undefined) throw call.refusal(`has mode '${call.text('mode', '')}'`);
    const value = mode === 'constant' ? [call.graph.number(call.number('value', 0))] : [];
    const sides = call.graph.integers(paddedSides(call.list('pad'), call.result.shape.length));
    return call.node('Pad', [call.value('self'), sides, ...value], { mode: { text: mode } });
  },
  upsample_nearest2d: (call) =>
    resized(call, { mode: 'nearest', coordinates: 'asymmetric', nearest: 'floor' }),
  upsample_bilinear2d: (call) => resized(call, { mode: 'linear', coordinates: coordinatesOf(call) }),
  upsample_bicubic2d: (call) =>
    resized(call, { mode: 'cubic', coordinates: coordinatesOf(call), cubic: -0.75 }),
};

/** Repeats the padding of height and width for both sides. */
function bothSides(padding: readonly number[]): number[] {
  return [...padding, ...padding];
}

function mapSize(call: Translation, shape: Translation['result']['shape']): number[] {
  return shape.slice(-2).map((size) => call.fixed(size));
}

/**
 * Returns the windows of a pool. If the last one extends past the edge (`ceil_mode`), padding is added at the
 * end, because browser runtimes do not round up.
 */
function windowOf(call: Translation, dilation: readonly number[]) {
  const kernel = call.list('kernel_size', 2);
  const stride = call.optionalList('stride')?.length ? call.list('stride', 2) : kernel;
  const padding = call.list('padding', 2, 0);
  const [from, to] = [mapSize(call, call.tensor('self').shape), mapSize(call, call.result.shape)];
  const beyond = from.map((size, i) => {
    const reached = (to[i]! - 1) * stride[i]! + dilation[i]! * (kernel[i]! - 1) + 1;
    return Math.max(0, reached - size - 2 * padding[i]!);
  });
  return {
    kernel,
    stride,
    dilation,
    pads: [...padding, ...padding.map((size, i) => size + beyond[i]!)],
    isBeyond: beyond.some((size) => size > 0),
  };
}

/**
 * Converts the order of padding sizes: libtorch lists start and end of each dimension, last dimension first;
 * ONNX lists all starts and then all ends, first dimension first.
 */
function paddedSides(pad: readonly number[], dimensions: number): number[] {
  const sides = Array.from({ length: 2 * dimensions }, () => 0);
  for (let i = 0; i < pad.length / 2; i++) {
    sides[dimensions - 1 - i] = pad[2 * i]!;
    sides[2 * dimensions - 1 - i] = pad[2 * i + 1]!;
  }
  return sides;
}

function coordinatesOf(call: Translation): string {
  return call.flag('align_corners', false) ? 'align_corners' : 'pytorch_half_pixel';
}

interface Resizing {
  readonly mode: string;
  readonly coordinates: string;
  readonly nearest?: string;
  readonly cubic?: number;
}

function resized(call: Translation, { mode, coordinates, nearest, cubic }: Resizing): string {
  const [from, to] = [mapSize(call, call.tensor('self').shape), mapSize(call, call.result.shape)];
  const scales = Float32Array.from([1, 1, ...to.map((size, i) => size / from[i]!)]);
  return call.node('Resize', [call.value('self'), '', call.graph.floats(scales, `scales_${to.join('x')}`)], {
    coordinate_transformation_mode: { text: coordinates },
    mode: { text: mode },
    ...(nearest !== undefined && { nearest_mode: { text: nearest } }),
    ...(cubic !== undefined && { cubic_coeff_a: { float: cubic } }),
  });
}
