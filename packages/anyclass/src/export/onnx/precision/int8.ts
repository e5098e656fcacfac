// Converts the large weights of a graph to integers with a scale for each output channel: a quarter of the
// size, still computed in float.

import type { Graph, GraphNode, Initializer } from '../graph/graph.js';

/** Weights with fewer elements, such as biases and norms, stay float because little would be saved. */
const fewestElements = 1024;

/**
 * Returns the graph with the weights of convolutions and matrix products as int8, each channel scaled by its
 * largest magnitude.
 *
 * @example
 * inInt8(graph).nodes[0]?.operator // 'DequantizeLinear'
 */
export function inInt8(graph: Graph): Graph {
  const weights = new Map(graph.initializers.map((initializer) => [initializer.name, initializer]));
  const nodes: GraphNode[] = [];
  const added = new Map<string, readonly Initializer[]>();
  for (const node of graph.nodes) {
    const weight = weights.get(node.inputs[1] ?? '');
    const axis = weight && channelAxis(node, weight);
    if (weight === undefined || axis === undefined) {
      nodes.push(node);
      continue;
    }
    const integers = `${weight.name}:int8`;
    if (!added.has(weight.name)) {
      const scales = `${weight.name}:scales`;
      added.set(weight.name, quantized(weight, axis, { integers, scales }));
      nodes.push({
        operator: 'DequantizeLinear',
        name: `${weight.name}/DequantizeLinear`,
        inputs: [integers, scales],
        outputs: [`${weight.name}:float`],
        attributes: { axis: { int: axis } },
      });
    }
    nodes.push({ ...node, inputs: node.inputs.with(1, `${weight.name}:float`) });
  }
  const used = new Set(nodes.flatMap(({ inputs }) => inputs));
  return {
    ...graph,
    nodes,
    initializers: [...graph.initializers.filter(({ name }) => used.has(name)), ...[...added.values()].flat()],
  };
}

/** Returns the axis of a weight's output channels; undefined for a weight that stays float. */
function channelAxis({ operator, attributes }: GraphNode, { type, shape }: Initializer): number | undefined {
  const elements = shape.reduce((product, size) => product * size, 1);
  if (type !== 'float32' || elements < fewestElements) return undefined;
  if (operator === 'Conv') return 0;
  if (operator === 'Gemm') return 'transB' in attributes ? 0 : 1;
  return operator === 'MatMul' && shape.length === 2 ? 1 : undefined;
}

function quantized(
  weight: Initializer,
  axis: number,
  names: { readonly integers: string; readonly scales: string },
): Initializer[] {
  const { shape } = weight;
  const channels = shape[axis]!;
  const inner = shape.slice(axis + 1).reduce((product, size) => product * size, 1);
  const channelOf = (i: number) => Math.floor(i / inner) % channels;
  const scalesOf = (values: Float32Array) => {
    const largest = new Float32Array(channels);
    for (let i = 0; i < values.length; i++) {
      const c = channelOf(i);
      largest[c] = Math.max(largest[c]!, Math.abs(values[i]!));
    }
    return largest.map((value) => (value === 0 ? 1 : value / 127));
  };
  return [
    {
      name: names.integers,
      type: 'int8',
      shape,
      read: () => {
        const values = floatsOf(weight);
        const scales = scalesOf(values);
        const integers = Int8Array.from(values, (value, i) => Math.round(value / scales[channelOf(i)]!));
        return new Uint8Array(integers.buffer);
      },
    },
    {
      name: names.scales,
      type: 'float32',
      shape: [channels],
      read: () => new Uint8Array(scalesOf(floatsOf(weight)).buffer),
    },
  ];
}

function floatsOf({ read }: Initializer): Float32Array {
  const bytes = read();
  return new Float32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
}
