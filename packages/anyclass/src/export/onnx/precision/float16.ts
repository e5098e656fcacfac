// Converts a graph so that the network computes in half precision. What follows the logits stays float32,
// because the presence score of many small probabilities would lose all its digits in float16. So do powers and norms, whose results
// may exceed its range where their inputs do not: GeM's cubes do from 41 on.

import { UserError } from '../../../errors/userError.js';
import type { Graph, GraphNode, Initializer } from '../graph/graph.js';

const FLOAT32 = 1;
const FLOAT16 = 10;

/**
 * Returns the graph with weights and feature maps in float16; its input and outputs stay float32.
 *
 * @example
 * inFloat16(graph).initializers[0]?.type // 'float16'
 */
export function inFloat16(graph: Graph): Graph {
  const body = ancestors(graph.nodes, ['logits', 'embedding', 'cam']);
  const half = (name: string) => (name === '' ? '' : `${name}:half`);
  const floats = new Map(
    graph.initializers
      .filter(({ type }) => type === 'float32')
      .map((initializer) => [initializer.name, initializer]),
  );
  const isConstant = new Set(graph.initializers.map(({ name }) => name));
  const halved = new Map<string, Initializer>();
  const cast = (from: string, to: string, type: number): GraphNode => ({
    operator: 'Cast',
    name: `${to}/Cast`,
    inputs: [from],
    outputs: [to],
    attributes: { to: { int: type } },
  });
  const isWide = wideNodes(graph.nodes, body);
  const wide = (name: string) => (isOuter(graph, name) || isConstant.has(name) ? name : `${name}:wide`);
  const isThere = new Set<string>();
  const input = (node: GraphNode, name: string, i: number) => {
    const constant = floats.get(name);
    if (constant === undefined) return isOuter(graph, name) ? half(name) : name;
    // ONNX requires the scales of Resize to be float32.
    if (node.operator === 'Resize' && i > 0) return name;
    halved.set(name, { ...constant, name: half(name), type: 'float16', read: () => toFloat16(constant) });
    return half(name);
  };
  /** A node in float32, after casts of inputs that are float16, and before those of outputs that are used in float16. */
  const wideNode = (node: GraphNode): GraphNode[] => {
    const before = node.inputs.filter((name) => wide(name) !== name && !isThere.has(name));
    for (const name of [...before, ...node.outputs]) isThere.add(name);
    const after = node.outputs.filter((name) =>
      graph.nodes.some((other) => body.has(other) && !isWide(other) && other.inputs.includes(name)),
    );
    return [
      ...before.map((name) => cast(name, wide(name), FLOAT32)),
      { ...node, inputs: node.inputs.map(wide), outputs: node.outputs.map(wide) },
      ...after.map((name) => cast(wide(name), isOuter(graph, name) ? half(name) : name, FLOAT16)),
    ];
  };
  const nodes = graph.nodes.flatMap((node): GraphNode[] => {
    if (!body.has(node)) return [node];
    const outputs = node.outputs.map((name) => (isOuter(graph, name) ? half(name) : name));
    if (isWide(node)) return wideNode(node);
    const shown = node.outputs.filter((name) => isOuter(graph, name));
    const converts =
      node.operator === 'Cast' && 'int' in node.attributes['to']! && node.attributes['to'].int === FLOAT32;
    return [
      {
        ...node,
        inputs: node.inputs.map((name, i) => input(node, name, i)),
        outputs,
        attributes: converts ? { to: { int: FLOAT16 } } : node.attributes,
      },
      ...shown.map((name) => cast(half(name), name, FLOAT32)),
    ];
  });
  const used = new Set(nodes.flatMap(({ inputs }) => inputs));
  return {
    ...graph,
    nodes: [...graph.inputs.map(({ name }) => cast(name, half(name), FLOAT16)), ...nodes],
    initializers: [...graph.initializers.filter(({ name }) => used.has(name)), ...halved.values()],
  };
}

/** Tells the nodes of the network that stay float32: powers and norms, and means of powers, up to the root. */
function wideNodes(nodes: readonly GraphNode[], body: ReadonlySet<GraphNode>): (node: GraphNode) => boolean {
  const found = new Set<GraphNode>();
  const values = new Set<string>();
  for (const node of nodes) {
    const isMeanOfWide = node.operator === 'ReduceMean' && values.has(node.inputs[0] ?? '');
    if (!body.has(node) || !(wideOperators.has(node.operator) || isMeanOfWide)) continue;
    found.add(node);
    for (const output of node.outputs) values.add(output);
  }
  return (node) => found.has(node);
}

const wideOperators = new Set(['Pow', 'ReduceL1', 'ReduceL2']);

/** Returns whether a value is one of the graph's own inputs or outputs, which stay float32. */
function isOuter({ inputs, outputs }: Graph, name: string): boolean {
  return [...inputs, ...outputs].some((value) => value.name === name);
}

/** Returns the nodes that compute some values, directly or indirectly. */
function ancestors(nodes: readonly GraphNode[], values: readonly string[]): Set<GraphNode> {
  const wanted = new Set(values);
  const found = new Set<GraphNode>();
  for (const node of nodes.toReversed()) {
    if (!node.outputs.some((output) => wanted.has(output))) continue;
    found.add(node);
    for (const input of node.inputs) wanted.add(input);
  }
  return found;
}

function toFloat16({ name, read }: Initializer): Uint8Array {
  const bytes = read();
  const values = new Float32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
  const bits = new Uint16Array(values.length);
  for (let i = 0; i < values.length; i++) {
    bits[i] = float16Bits(values[i]!);
    if (Math.abs(values[i]!) >= 65520 && Number.isFinite(values[i]))
      throw new UserError(`${name} contains ${values[i]}, which exceeds float16's largest number, 65504`);
  }
  return new Uint8Array(bits.buffer);
}

const word = new Float32Array(1);
const wordBits = new Uint32Array(word.buffer);

/**
 * Returns the bits of a number in float16, rounded to nearest, ties to even.
 *
 * @example
 * float16Bits(1).toString(16) // '3c00'
 */
export function float16Bits(value: number): number {
  word[0] = value;
  const bits = wordBits[0]!;
  const sign = (bits >>> 16) & 0x8000;
  const magnitude = bits & 0x7fffffff;
  // Infinity, numbers that round to it, and NaN.
  if (magnitude >= 0x477ff000) return sign | (magnitude > 0x7f800000 ? 0x7e00 : 0x7c00);
  // Below 2^-14 the step is 2^-24, whatever the exponent.
  if (magnitude < 0x38800000) return sign | roundHalfToEven(Math.abs(word[0]!) * 2 ** 24);
  // Ten bits of the fraction remain, and the exponent's bias is 15 instead of 127; rounding may carry into
  // the exponent.
  return sign | ((magnitude - 0x38000000 + 0xfff + ((magnitude >>> 13) & 1)) >>> 13);
}

function roundHalfToEven(value: number): number {
  const floor = Math.floor(value);
  const rest = value - floor;
  return rest > 0.5 || (rest === 0.5 && floor % 2 === 1) ? floor + 1 : floor;
}
