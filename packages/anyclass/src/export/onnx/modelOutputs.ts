// The outputs of an exported model besides its logits.

import { type Calibration, LARGEST_FLOAT32_LOGIT } from '@anyclass/core';
import { UserError } from '../../errors/userError.js';
import type { Dimension, GraphValue } from './graph/graph.js';
import type { GraphBuilder } from './graph/graphBuilder.js';
import { BatchMultiple, type Trace, type TracedCall, type TracedTensor } from './graph/trace.js';

/** Outputs that are added on request. */
export const extraOutputs = ['embedding', 'cam'] as const;

export type ExtraOutput = (typeof extraOutputs)[number];

export interface OutputOptions {
  readonly calibration?: Calibration | undefined;
  readonly extra?: readonly ExtraOutput[];
  /** Outputs to add only if the network supports them. */
  readonly optional?: readonly ExtraOutput[];
}

/** The outputs of the file, and the name of the graph value behind each. */
export type Outputs = ReadonlyMap<GraphValue, string>;

/**
 * Adds calibrated probabilities, the presence score and the requested outputs to a graph whose trace returned
 * the logits and, if the network has one, the embedding.
 *
 * @example
 * addOutputs(graph, trace, { calibration, extra: ['cam'] }) // logits, probabilities, presence_score, cam
 */
export function addOutputs(
  graph: GraphBuilder,
  trace: Pick<Trace, 'calls' | 'outputs'>,
  { calibration, extra = [], optional = [] }: OutputOptions,
): Outputs {
  const [logits, embedding] = trace.outputs;
  const z = graph.valueOf(logits!);
  const calibrated = calibration ? calibratedLogits(graph, z, calibration) : z;
  const outputs = new Map<GraphValue, string>([
    [floats('logits', logits!), z],
    [floats('probabilities', logits!), graph.node('Sigmoid', [calibrated])],
    [
      { name: 'presence_score', type: 'float32', shape: ['batch'] },
      // s = -Σ log(1 - p) = Σ softplus(z), which loses no accuracy if p is close to 1. Of the network's own
      // probabilities: the gate was fitted on the rows of the calibration, and ranks them without it.
      graph.node('ReduceSum', [softplus(graph, z), graph.integers([1])], { keepdims: { int: 0 } }),
    ],
  ]);
  const isAsked = (name: ExtraOutput) => extra.includes(name) || optional.includes(name);
  if (isAsked('embedding') && embedding)
    outputs.set(floats('embedding', embedding), graph.valueOf(embedding));
  else if (extra.includes('embedding'))
    throw new UserError('the network has no embedding: it does not separate features from the head');
  const head = isAsked('cam') ? linearHead(trace) : undefined;
  if (head) {
    const { features, weight, bias } = head;
    const kernel = graph.constant(weight, { title: 'kernel', of: (x) => x.unsqueeze(-1).unsqueeze(-1) });
    const cam = graph.node('Conv', [graph.valueOf(features), kernel, ...(bias ? [graph.valueOf(bias)] : [])]);
    const shape = [...logits!.shape, ...features.shape.slice(2)];
    outputs.set(floats('cam', { ...features, shape }), cam);
  } else if (extra.includes('cam')) {
    throw new UserError(
      'cam needs a network whose last layer is linear and takes the average of feature maps, such as tresnet, resnet and densenet',
    );
  }
  return outputs;
}

// Written as max(z, 0) + log(1 + exp(-|z|)), because browser runtimes have no Softplus.
function softplus(graph: GraphBuilder, z: string): string {
  const small = graph.node('Exp', [graph.node('Neg', [graph.node('Abs', [z])])]);
  const log = graph.node('Log', [graph.node('Add', [small, graph.number(1)])]);
  return graph.node('Add', [graph.node('Relu', [z]), log]);
}

/**
 * Calibrates logits as `calibrate` does with float32 probabilities, whose logits are at most 16.6 in
 * magnitude.
 */
function calibratedLogits(graph: GraphBuilder, logits: string, calibration: Calibration): string {
  const most = LARGEST_FLOAT32_LOGIT;
  const bounded = graph.node('Clip', [logits, graph.number(-most), graph.number(most)]);
  if (calibration.kind === 'temperature')
    return graph.node('Div', [bounded, graph.number(calibration.temperature)]);
  const slopes = graph.floats(Float32Array.from(calibration.slopes), 'calibration/slopes');
  const intercepts = graph.floats(Float32Array.from(calibration.intercepts), 'calibration/intercepts');
  return graph.node('Add', [graph.node('Mul', [bounded, slopes]), intercepts]);
}

interface LinearHead {
  readonly features: TracedTensor;
  readonly weight: TracedTensor;
  readonly bias: TracedTensor | undefined;
}

/**
 * Returns the last layer and the feature maps whose average is its input; undefined if its input is something
 * else. Applied to each pixel, the layer gives maps whose average is the logit: class activation maps, Zhou
 * et al., "Learning Deep Features for Discriminative Localization", arXiv 1512.04150.
 */
function linearHead({ calls, outputs }: Pick<Trace, 'calls' | 'outputs'>): LinearHead | undefined {
  const maker = new Map(calls.flatMap((call) => call.results.map(({ id }) => [id, call] as const)));
  const madeBy = (value: TracedTensor | undefined, ...operators: string[]) => {
    const call = value && maker.get(value.id);
    return call && operators.includes(call.operator) ? call : undefined;
  };
  const head = madeBy(outputs[0], 'linear');
  // Outside training, dropout changes nothing.
  const input = tensorOf(head, 'input');
  const pooled = tensorOf(madeBy(input, 'dropout'), 'input') ?? input;
  const flat = madeBy(pooled, 'flatten', 'view', 'reshape', 'squeeze');
  const pool = madeBy(flat ? tensorOf(flat, 'self') : pooled, 'adaptive_avg_pool2d', 'mean');
  const features = tensorOf(pool, 'self');
  const weight = tensorOf(head, 'weight');
  const isWholeMap = flat
    ? tensorOf(flat, 'self')
        ?.shape.slice(2)
        .every((size) => size === 1)
    : pooled?.shape.length === 2;
  if (!weight?.constant || features?.shape.length !== 4 || !isWholeMap) return undefined;
  return { features, weight, bias: tensorOf(head, 'bias') };
}

function tensorOf(call: TracedCall | undefined, name: string): TracedTensor | undefined {
  const value = call?.values[name];
  return typeof value === 'object' && value !== null && 'id' in value ? value : undefined;
}

function floats(name: string, { shape }: Pick<TracedTensor, 'shape'>): GraphValue {
  return { name, type: 'float32', shape: shape.map(dimension) };
}

/** Returns the size of a dimension as written in the file; sizes that grow with the batch get a name. */
export function dimension(size: TracedTensor['shape'][number]): Dimension {
  if (!(size instanceof BatchMultiple)) return size;
  return size.factor === 1 ? 'batch' : `batch_times_${size.factor}`;
}
