import type { Attribute, GraphNode } from './graph.js';

/**
 * Removes nodes whose outputs are not used and merges nodes that compute the same value. `outputs` maps
 * values of the graph to their names as outputs.
 *
 * @example
 * simplify([relu('x', 'a'), relu('x', 'b'), add('a', 'b', 'sum')], new Map([['sum', 'logits']])) // relu, add(a, a)
 */
export function simplify(nodes: readonly GraphNode[], outputs: ReadonlyMap<string, string>): GraphNode[] {
  const { merged, nameOf } = withoutDoubles(nodes);
  const wanted = new Set(Array.from(outputs.keys(), (name) => nameOf.get(name) ?? name));
  const kept: GraphNode[] = [];
  for (const node of merged.toReversed()) {
    if (!node.outputs.some((output) => wanted.has(output))) continue;
    for (const input of node.inputs) wanted.add(input);
    kept.push(node);
  }
  return renamed(kept.reverse(), outputs, nameOf);
}

function withoutDoubles(nodes: readonly GraphNode[]) {
  const seen = new Map<string, GraphNode>();
  const nameOf = new Map<string, string>();
  const merged: GraphNode[] = [];
  for (const original of nodes) {
    const node = { ...original, inputs: original.inputs.map((input) => nameOf.get(input) ?? input) };
    const key = JSON.stringify([node.operator, node.inputs, sortedAttributes(node)]);
    const twin = seen.get(key);
    if (twin) {
      for (const [i, output] of node.outputs.entries()) nameOf.set(output, twin.outputs[i]!);
    } else {
      seen.set(key, node);
      merged.push(node);
    }
  }
  return { merged, nameOf };
}

function sortedAttributes({ attributes }: GraphNode): [string, Attribute][] {
  return Object.entries(attributes).sort(([a], [b]) => (a < b ? -1 : 1));
}

function renamed(
  nodes: readonly GraphNode[],
  outputs: ReadonlyMap<string, string>,
  nameOf: ReadonlyMap<string, string>,
): GraphNode[] {
  const shownAs = new Map(Array.from(outputs, ([name, shown]) => [nameOf.get(name) ?? name, shown]));
  const shown = (name: string) => shownAs.get(name) ?? name;
  return nodes.map((node) => ({
    ...node,
    inputs: node.inputs.map(shown),
    outputs: node.outputs.map(shown),
  }));
}
