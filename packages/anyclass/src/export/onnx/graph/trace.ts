// Traces the operators that a network's forward pass calls. The pass is recorded for two batch sizes: sizes
// that differ must be multiples of the batch size, and everything else must be the same.

import {
  type nn,
  noGrad,
  type RecordedCall,
  RecordedTensor,
  type RecordedValue,
  type Recording,
  recordCalls,
  type Scalar,
  type Tensor,
  tidy,
  zeros,
} from '@anyclass/torch';
import { messageOf } from '../../../errors/reasonOf.js';
import { UserError } from '../../../errors/userError.js';
import { whileNamingLayers } from './layerNames.js';

/** A size that grows with the batch. */
export class BatchMultiple {
  readonly factor: number;

  constructor(factor: number) {
    this.factor = factor;
  }
}

export type Size = number | BatchMultiple;

export interface TracedTensor {
  readonly id: number;
  readonly shape: readonly Size[];
  readonly dtype: RecordedTensor['dtype'];
  /** A weight, or a value computed only from weights, as recorded at batch size 2. */
  readonly constant: Tensor | undefined;
  /** Name in the state dict, if any. */
  readonly name: string | undefined;
}

export type TracedValue =
  | TracedTensor
  | readonly (TracedTensor | null)[]
  | Exclude<Scalar, bigint>
  | BatchMultiple
  | readonly (Exclude<Scalar, bigint> | BatchMultiple)[]
  | string
  | null
  | undefined;

export interface TracedCall {
  /**
   * Name without namespace, overload and the underscore of in-place operators: `add` for `aten::add_.Tensor`.
   */
  readonly operator: string;
  /** Name of the layer that called it. */
  readonly layer: string;
  readonly values: Readonly<Record<string, TracedValue>>;
  readonly results: readonly TracedTensor[];
}

/** A traced forward pass. Disposing of it frees the constants that do not belong to the network. */
export interface Trace extends Disposable {
  readonly input: TracedTensor;
  readonly outputs: readonly TracedTensor[];
  readonly calls: readonly TracedCall[];
}

export interface TraceOptions {
  /** Shape of one instance: channels, height and width of an image, or the number of features. */
  readonly inputShape: readonly number[];
  /** Computes the outputs to trace. Default: the module's `forward`. */
  readonly forward?: (images: Tensor) => readonly Tensor[];
}

const batches = [2, 3] as const;

/**
 * Traces a module, which should be in evaluation mode on the CPU.
 *
 * @throws UserError with the layer's name if its computation depends on the batch size or the images' values
 * in a way that cannot be exported
 *
 * @example
 * using trace = traceModule(network, { inputShape: [3, 224, 224] });
 * trace.calls[0]?.operator // 'conv2d'
 */
export function traceModule(module: nn.Layer, options: TraceOptions): Trace {
  const first = record(module, batches[0], options);
  try {
    using second = record(module, batches[1], options);
    return { ...compare(first, second), [Symbol.dispose]: () => first[Symbol.dispose]() };
  } catch (error) {
    first[Symbol.dispose]();
    throw error;
  }
}

interface NamedCall extends RecordedCall {
  readonly layer: string;
}

interface NamedRecording extends Recording {
  readonly calls: readonly NamedCall[];
}

function record(
  module: nn.Layer,
  batch: number,
  { inputShape, forward = (images) => [module.forward(images)] }: TraceOptions,
): NamedRecording {
  const calls: NamedCall[] = [];
  const images = zeros([batch, ...inputShape]);
  try {
    const recording = whileNamingLayers(module, (layer) => {
      const onCall = (call: RecordedCall) => calls.push({ ...call, layer: layer() });
      try {
        return noGrad(() =>
          recordCalls([images], () => tidy(() => forward(images)), { names: module.stateDict(), onCall }),
        );
      } catch (error) {
        throw new UserError(`${layer()}: ${messageOf(error)}`, { cause: error });
      }
    });
    return { ...recording, calls };
  } finally {
    images.dispose();
  }
}

function compare(first: NamedRecording, second: NamedRecording): Omit<Trace, typeof Symbol.dispose> {
  const calls = first.calls.map((call, i) => comparedCall(call, second.calls[i]));
  const extra = second.calls[first.calls.length];
  if (extra) throw differing(extra.layer, `${extra.operator} is called for a batch of ${batches[1]} only`);
  return {
    input: tensorOf(first.inputs[0]!, second.inputs[0]!, 'the input'),
    outputs: first.outputs.map((output, i) => tensorOf(output, second.outputs[i], 'the output')),
    calls,
  };
}

function comparedCall(a: NamedCall, b: NamedCall | undefined): TracedCall {
  const { layer } = a;
  if (a.operator !== b?.operator)
    throw differing(
      layer,
      `calls ${a.operator} for a batch of ${batches[0]} and ${b?.operator ?? 'nothing'} for one of ${batches[1]}`,
    );
  return {
    operator: a.operator.replace(/^aten::/, '').replace(/_?(\.\w+)?$/, ''),
    layer,
    values: Object.fromEntries(
      Object.entries(a.values).map(([name, value]) => [
        name,
        tracedValue(value, b.values[name], `${layer}: ${a.operator}, ${name}`),
      ]),
    ),
    results: a.results.map((result, i) =>
      tensorOf(result, b.results[i], `${layer}: the result of ${a.operator}`),
    ),
  };
}

function tracedValue(a: RecordedValue, b: RecordedValue, where: string): TracedValue {
  if (a instanceof RecordedTensor) return tensorOf(a, b, where);
  if (!isList(a)) return scalarOf(a, b, where);
  if (!isList(b) || a.length !== b.length) throw unequal(where, a, b);
  if (isTensorList(a)) return a.map((item, i) => (item === null ? null : tensorOf(item, b[i], where)));
  return a.map((item, i) => {
    const value = scalarOf(item, b[i], where);
    if (typeof value === 'string' || value === null || value === undefined) throw unequal(where, a, b);
    return value;
  });
}

function tensorOf(a: RecordedTensor, b: RecordedValue, where: string): TracedTensor {
  if (
    !(b instanceof RecordedTensor) ||
    a.id !== b.id ||
    a.dtype !== b.dtype ||
    a.shape.length !== b.shape.length
  )
    throw differing(where, 'is a different value for a different batch size');
  const shape = a.shape.map((size, i) => sizeOf(size, b.shape[i], where));
  // Named tensors belong to the network and are the same both times.
  if (a.constant && b.constant && a.name === undefined) checkConstants(a.constant, b.constant, shape, where);
  const { id, dtype, constant, name } = a;
  return { id, dtype, constant, name, shape };
}

function sizeOf(a: number, b: number | undefined, where: string): Size {
  const size = scalarOf(a, b, where);
  if (typeof size === 'number' || size instanceof BatchMultiple) return size;
  throw unequal(where, a, b);
}

function scalarOf(a: RecordedValue, b: RecordedValue, where: string) {
  if (typeof a === 'bigint' || a instanceof RecordedTensor || isList(a)) throw unequal(where, a, b);
  if (a === b || (Number.isNaN(a) && Number.isNaN(b))) return a;
  if (typeof a === 'number' && typeof b === 'number' && a * batches[1] === b * batches[0])
    return new BatchMultiple(a / batches[0]);
  throw unequal(where, a, b);
}

/**
 * Throws if constants differ by more than rounding: a product of constants is not always the same to the last bit for another number of images. A
 * constant may have one row per image if all rows are the same.
 */
function checkConstants(a: Tensor, b: Tensor, shape: readonly Size[], where: string): void {
  const row = (tensor: Tensor) =>
    shape.reduce(
      (part: Tensor, size, i) => (size instanceof BatchMultiple ? part.narrow(i, 0, size.factor) : part),
      tensor,
    );
  const isSame = tidy(() => {
    const [one, other] = [row(a), row(b)];
    const repeats = shape.map((size) => (size instanceof BatchMultiple ? batches[0] : 1));
    return (
      isSameConstant(one, other) && (repeats.every((n) => n === 1) || isSameConstant(a, one.repeat(repeats)))
    );
  });
  if (!isSame) throw differing(where, 'is a constant that is not the same for all images and batch sizes');
}

function isSameConstant(a: Tensor, b: Tensor): boolean {
  if (a.equal(b)) return true;
  if (!a.dtype.startsWith('float') || a.shape.join() !== b.shape.join()) return false;
  return a.sub(b).abs().amax().toNumber() <= 1e-5 * a.abs().amax().toNumber();
}

function unequal(where: string, a: RecordedValue, b: RecordedValue): UserError {
  return differing(
    where,
    `is ${shown(a)} for a batch of ${batches[0]} and ${shown(b)} for one of ${batches[1]}; only multiples of the batch size can differ`,
  );
}

function differing(where: string, what: string): UserError {
  return new UserError(`cannot be exported: ${where} ${what}`);
}

function shown(value: RecordedValue): string {
  if (value instanceof RecordedTensor) return 'a tensor';
  return isList(value)
    ? `[${value.map((item) => (item instanceof RecordedTensor ? 'a tensor' : item)).join(', ')}]`
    : String(value);
}

function isList(value: RecordedValue): value is Extract<RecordedValue, readonly unknown[]> {
  return Array.isArray(value);
}

function isTensorList(
  list: Extract<RecordedValue, readonly unknown[]>,
): list is readonly (RecordedTensor | null)[] {
  return list.some((item) => item instanceof RecordedTensor);
}
