// The bookkeeping behind `recordCalls`.

import { dtypeOfCode } from '../native/dtype.js';
import type { Native, OperatorNumber, Place, Scalar } from '../native/native.js';
import { Operator, operatorName } from '../native/operator.js';
import { keep } from '../tensor/memory.js';
import { Tensor } from '../tensor/tensor.js';
import { type RecordedCall, RecordedTensor, type RecordedValue } from './recordedCall.js';

const DETACH = new Operator('aten::detach');
const CLONE = new Operator('aten::clone');

interface Parameters {
  readonly operator: string;
  readonly names: readonly string[];
  readonly kinds: readonly ('tensor' | 'tensors' | 'value')[];
}

/** Tracks tensors through the addon's functions: which depend on the inputs, and which memory was overwritten. */
export class CallRecord {
  readonly #addon: Native;
  readonly #nameOf: ReadonlyMap<Place, string>;
  readonly #onCall: (call: RecordedCall) => void;
  readonly #parameters = new Map<OperatorNumber, Parameters>();
  /** Live tensors that depend on the inputs. */
  readonly #values = new Map<Place, RecordedTensor>();
  /** Live tensors seen so far that do not. */
  readonly #constants = new Map<Place, RecordedTensor>();
  /** Tensors that this record keeps alive. */
  readonly #kept: Tensor[] = [];
  /** Values whose memory was overwritten through another tensor, by id, with the operator that did it. */
  readonly #stale = new Map<number, string>();
  /** Memory of constants that was overwritten with values that depend on the inputs, with the operator that did it. */
  readonly #overwritten = new Map<number, string>();
  #count = 0;

  constructor(addon: Native, nameOf: ReadonlyMap<Place, string>, onCall: (call: RecordedCall) => void) {
    this.#addon = addon;
    this.#nameOf = nameOf;
    this.#onCall = onCall;
  }

  dispose(): void {
    for (const tensor of this.#kept.splice(0)) tensor.dispose();
  }

  /** Marks a tensor as one that depends on the inputs. */
  introduce(at: Place): RecordedTensor {
    const value = new RecordedTensor(this.#count++, this.#describe(at));
    this.#values.set(at, value);
    return value;
  }

  /** Returns what a tensor stands for now; throws if its memory was overwritten through another tensor. */
  valueOf(at: Place, operator: string): RecordedTensor {
    const value = this.#values.get(at);
    const writer = value ? this.#stale.get(value.id) : this.#overwritten.get(this.#addon.storage(at));
    if (writer !== undefined) {
      throw new Error(
        `${operator} reads memory that ${writer} has overwritten through another tensor; write to a clone() instead`,
      );
    }
    return value ?? this.#constant(at);
  }

  replacements(): Partial<Native> {
    const addon = this.#addon;
    const refuse = (name: string, at: Place) => {
      if (!this.#values.has(at) && !this.#overwritten.has(addon.storage(at))) return;
      throw new Error(
        `${name} reads values that depend on the input; the recording would hold for this input only`,
      );
    };
    const forget = (at: Place) => {
      this.#values.delete(at);
      this.#constants.delete(at);
    };
    return {
      call: (operator, ...values) =>
        this.#record(
          operator,
          values,
          () => addon.call(operator, ...values),
          (result) => [result],
        ),
      callList: (operator, ...values) =>
        this.#record(
          operator,
          values,
          () => addon.callList(operator, ...values),
          (results) => [...results],
        ),
      callMany: (operator, ...values) =>
        this.#record(
          operator,
          values,
          () => addon.callMany(operator, ...values),
          (results) => results,
        ),
      callMixed: (operator, ...values) =>
        this.#record(
          operator,
          values,
          () => addon.callMixed(operator, ...values),
          (results) =>
            results.flatMap((result) => (typeof result === 'number' ? [result] : [...(result ?? [])])),
        ),
      callInPlace: (operator, ...values) => this.#recordInPlace(operator, values),
      callBoolean: (operator, ...values) => {
        for (const at of this.#tensorsOf(operator, values)) refuse(operatorName(operator), at);
        return addon.callBoolean(operator, ...values);
      },
      item: (at) => {
        refuse('item', at);
        return addon.item(at);
      },
      toBytes: (at, bytes) => {
        refuse('toTypedArray', at);
        addon.toBytes(at, bytes);
      },
      setData: (at, source) => {
        refuse('setData', source);
        addon.setData(at, source);
      },
      dispose: (at) => {
        forget(at);
        addon.dispose(at);
      },
      disposeMany: (places, count) => {
        for (let i = 0; i < count; i++) forget(places[i]!);
        addon.disposeMany(places, count);
      },
    };
  }

  #record<Result>(
    operator: OperatorNumber,
    values: readonly unknown[],
    call: () => Result,
    placesOf: (result: Result) => readonly Place[],
  ): Result {
    const depends = this.#tensorsOf(operator, values).some((at) => this.#values.has(at));
    // Taken before the call, which may change what it reads.
    const read = depends ? this.#read(operator, values) : undefined;
    const result = call();
    if (read)
      this.#report(
        read,
        placesOf(result).map((at) => this.introduce(at)),
      );
    return result;
  }

  #recordInPlace(operator: OperatorNumber, values: readonly unknown[]): void {
    const { operator: name } = this.#parametersOf(operator);
    const [written, ...others] = this.#tensorsOf(operator, values);
    if (written === undefined) throw new Error(`${name}: does not write in place to a single tensor`);
    const isConstant = !this.#values.has(written);
    if (isConstant && !others.some((at) => this.#values.has(at))) {
      this.#refuseCaptured(written, name);
      this.#addon.callInPlace(operator, ...values);
      return;
    }
    if (isConstant) this.#keepCopy(written, name);
    const read = this.#read(operator, values);
    this.#addon.callInPlace(operator, ...values);
    if (isConstant) this.#overwritten.set(this.#addon.storage(written), name);
    this.#markStale(written, name);
    this.#report(read, [this.introduce(written)]);
  }

  #report({ operator, values }: Omit<RecordedCall, 'results'>, results: readonly RecordedTensor[]): void {
    this.#onCall({ operator, values, results });
  }

  #read(operator: OperatorNumber, values: readonly unknown[]): Omit<RecordedCall, 'results'> {
    const { operator: name, names, kinds } = this.#parametersOf(operator);
    const one = (at: Place) => this.valueOf(at, name);
    const entries = names.map((parameter, i): [string, RecordedValue] => {
      const value = values[i];
      if (kinds[i] === 'tensor' && typeof value === 'number') return [parameter, one(value)];
      if (value instanceof Int32Array)
        return [parameter, Array.from(value, (at) => (at < 0 ? null : one(at)))];
      return [parameter, plain(value)];
    });
    return { operator: name, values: Object.fromEntries(entries) };
  }

  #tensorsOf(operator: OperatorNumber, values: readonly unknown[]): Place[] {
    const { kinds } = this.#parametersOf(operator);
    return values.flatMap((value, i) => {
      if (kinds[i] === 'tensor') return typeof value === 'number' ? [value] : [];
      return value instanceof Int32Array ? [...value].filter((at) => at >= 0) : [];
    });
  }

  #parametersOf(operator: OperatorNumber): Parameters {
    let known = this.#parameters.get(operator);
    if (!known) {
      const [names, kinds] = [this.#addon.parameterNames(operator), this.#addon.parameterKinds(operator)];
      known = { operator: operatorName(operator), names, kinds };
      this.#parameters.set(operator, known);
    }
    return known;
  }

  #constant(at: Place): RecordedTensor {
    let known = this.#constants.get(at);
    if (!known) {
      // Another tensor on the same memory, which stays alive when the caller disposes of theirs.
      const tensor = this.#keep(this.#addon.call(DETACH.number, at));
      known = new RecordedTensor(this.#count++, this.#describe(at), tensor, this.#nameOf.get(at));
      this.#constants.set(at, known);
    }
    return known;
  }

  /** Copies a constant that is about to be overwritten with values that depend on the inputs. */
  #keepCopy(at: Place, operator: string): void {
    this.#refuseCaptured(at, operator);
    const tensor = this.#keep(this.#addon.call(CLONE.number, at));
    this.#constants.set(at, new RecordedTensor(this.#count++, this.#describe(at), tensor));
    // The original is kept too, so that no later tensor gets the same memory.
    this.#keep(this.#addon.call(DETACH.number, at));
  }

  #refuseCaptured(at: Place, operator: string): void {
    const storage = this.#addon.storage(at);
    if (!this.#kept.some((tensor) => this.#addon.storage(tensor.place) === storage)) return;
    throw new Error(`${operator} overwrites a constant that was read before; write to a clone() instead`);
  }

  #markStale(at: Place, operator: string): void {
    const storage = this.#addon.storage(at);
    for (const [other, { id }] of this.#values) {
      if (other !== at && this.#addon.storage(other) === storage) this.#stale.set(id, operator);
    }
  }

  #keep(at: Place): Tensor {
    const tensor = keep(new Tensor(at));
    this.#kept.push(tensor);
    return tensor;
  }

  #describe(at: Place): Pick<Tensor, 'shape' | 'dtype'> {
    return { shape: this.#addon.shape(at), dtype: dtypeOfCode(this.#addon.dtype(at)) };
  }
}

/** Returns a non-tensor argument as the recording shows it. */
function plain(value: unknown): Scalar | readonly Scalar[] | string | null | undefined {
  if (value === null || value === undefined || typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean') return value;
  if (Array.isArray(value)) return value.filter((item): item is Scalar => typeof item !== 'object');
  throw new TypeError(`a value of type ${typeof value} in a recorded call`);
}
