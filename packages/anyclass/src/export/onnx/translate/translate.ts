// Translates traced operators to an ONNX graph.

import { UserError } from '../../../errors/userError.js';
import { GraphBuilder } from '../graph/graphBuilder.js';
import type { Trace, TracedCall } from '../graph/trace.js';
import { elementwise } from './elementwise.js';
import { maps } from './maps.js';
import { products } from './products.js';
import { reductions } from './reductions.js';
import { shapes } from './shapes.js';
import { Translation } from './translation.js';

const translators = { ...elementwise, ...shapes, ...products, ...maps, ...reductions };

/** Names of the libtorch operators that can be exported, without overloads. */
export const exportableOperators: readonly string[] = Object.keys(translators).sort();

/**
 * Builds a graph from the calls of a trace. The input gets the given name; `valueOf` returns the names of the
 * outputs.
 *
 * @throws UserError that names the layer if an operator has no translation
 *
 * @example
 * const graph = translate(trace, 'pixel_values');
 * graph.valueOf(trace.outputs[0]!) // 'head.fc/Gemm'
 */
export function translate({ input, calls }: Pick<Trace, 'input' | 'calls'>, inputName: string): GraphBuilder {
  const graph = new GraphBuilder(inputName);
  graph.bind(input, inputName);
  for (const call of calls) {
    graph.layer = call.layer;
    const names = [translatorOf(call)(new Translation(call, graph))].flat();
    for (const [i, result] of call.results.entries()) graph.bind(result, names[i]!);
  }
  graph.layer = '';
  return graph;
}

function translatorOf({ operator, layer }: TracedCall) {
  const found = Object.entries(translators).find(([name]) => name === operator)?.[1];
  if (found) return found;
  throw new UserError(
    `cannot be exported: ${layer} calls ${operator}, which has no translation to ONNX; rewrite the layer with other operators`,
  );
}
