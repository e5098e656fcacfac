// Converts a network to an ONNX graph: traces, translates and simplifies it.

import type { Calibration } from '@anyclass/core';
import type { nn, Tensor } from '@anyclass/torch';
import { UserError } from '../../errors/userError.js';
import { Network } from '../../networks/network.js';
import type { Graph } from './graph/graph.js';
import { simplify } from './graph/simplify.js';
import { type Trace, traceModule } from './graph/trace.js';
import { addOutputs, dimension, type ExtraOutput, type Outputs } from './modelOutputs.js';
import { translate } from './translate/translate.js';

export interface GraphOptions {
  /** Shape of one instance: channels, height and width of an image, or the number of features. */
  readonly inputShape: readonly number[];
  readonly calibration?: Calibration | undefined;
  /** Outputs to add to logits, probabilities and presence score. */
  readonly outputs?: readonly ExtraOutput[] | undefined;
  /** Outputs to add only if the network supports them. */
  readonly optionalOutputs?: readonly ExtraOutput[] | undefined;
}

/**
 * A graph that refers to the network's weights, so the network must not be disposed of before the graph is
 * written.
 */
export interface NetworkGraph extends Disposable {
  readonly graph: Graph;
}

/**
 * Converts a network to a graph with the input `pixel_values` or `features`. The network can be any module
 * from images [batch, 3, size, size] or features [batch, count] to logits [batch, classes], in evaluation
 * mode on the CPU, with batch norms folded.
 *
 * @throws UserError that names the layer and the operator that cannot be exported
 *
 * @example
 * using exported = networkGraph(foldBatchNorm(network), { inputShape: network.inputShape });
 * exported.graph.outputs.map(({ name }) => name) // logits, probabilities, presence_score
 */
export function networkGraph(network: nn.Layer, options: GraphOptions): NetworkGraph {
  const { inputShape, calibration, outputs: extra = [], optionalOutputs: optional = [] } = options;
  const trace = traceModule(network, {
    inputShape,
    forward: (images) => forwardParts(network, images),
  });
  try {
    checkLogits(trace);
    const inputName = inputShape.length === 1 ? 'features' : 'pixel_values';
    const builder = translate(trace, inputName);
    const outputs = addOutputs(builder, trace, { calibration, extra, optional });
    const nodes = simplify(builder.nodes, shownNames(outputs));
    const used = new Set(nodes.flatMap(({ inputs }) => inputs));
    const graph = {
      name: network instanceof Network ? network.name : network.constructor.name,
      inputs: [{ name: inputName, type: 'float32' as const, shape: trace.input.shape.map(dimension) }],
      outputs: [...outputs.keys()],
      nodes,
      initializers: builder.initializers.filter(({ name }) => used.has(name)),
    };
    return {
      graph,
      [Symbol.dispose]() {
        builder[Symbol.dispose]();
        trace[Symbol.dispose]();
      },
    };
  } catch (error) {
    trace[Symbol.dispose]();
    throw error;
  }
}

/** Returns the logits and, if the network has one, the embedding. */
function forwardParts(network: nn.Layer, images: Tensor): Tensor[] {
  if (!(network instanceof Network)) return [network.forward(images)];
  network.tilesAtOnce = Number.POSITIVE_INFINITY; // one pass, so that the file has the network once
  return network.logitsAndEmbedding(images);
}

function checkLogits({ outputs: [logits] }: Trace): void {
  if (logits && logits.shape.length === 2 && !logits.constant && dimension(logits.shape[0]!) === 'batch')
    return;
  const shape = logits?.shape.map(dimension).join(', ');
  throw new UserError(`the network's output has shape [${shape}]; expected logits [batch, classes]`);
}

function shownNames(outputs: Outputs): Map<string, string> {
  return new Map(Array.from(outputs, ([{ name }, value]) => [value, name]));
}
