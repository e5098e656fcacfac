// Access to the arguments of a traced call and to the graph that it is translated to.

import { UserError } from '../../../errors/userError.js';
import type { Attribute } from '../graph/graph.js';
import type { GraphBuilder } from '../graph/graphBuilder.js';
import {
  BatchMultiple,
  type Size,
  type TracedCall,
  type TracedTensor,
  type TracedValue,
} from '../graph/trace.js';

/** Adds the nodes of a call and returns the names of its results. */
export type Translator = (call: Translation) => string | readonly string[];

export type Translators = Readonly<Record<string, Translator>>;

/** A call to translate, and the graph that it is added to. */
export class Translation {
  readonly graph: GraphBuilder;
  readonly operator: string;
  readonly results: readonly TracedTensor[];
  readonly #values: TracedCall['values'];
  readonly #layer: string;

  constructor({ operator, results, values, layer }: TracedCall, graph: GraphBuilder) {
    this.graph = graph;
    this.operator = operator;
    this.results = results;
    this.#values = values;
    this.#layer = layer;
  }

  /** The first result; most operators have only one. */
  get result(): TracedTensor {
    return this.results[0]!;
  }

  /** Returns a tensor argument as it was traced. */
  tensor(name: string): TracedTensor {
    const value = this.#values[name];
    if (!isTensor(value)) throw this.refusal(`has no tensor '${name}'`);
    return value;
  }

  optionalTensor(name: string): TracedTensor | undefined {
    return isTensor(this.#values[name]) ? this.tensor(name) : undefined;
  }

  tensors(name: string): TracedTensor[] {
    const value = this.#values[name];
    const list = Array.isArray(value) ? value : [];
    return list.map((item: unknown) => {
      if (!isTensor(item)) throw this.refusal(`'${name}' contains something that is not a tensor`);
      return item;
    });
  }

  /** Returns the name in the graph of a tensor argument. */
  value(name: string): string {
    return this.graph.valueOf(this.tensor(name));
  }

  /** Returns the name in the graph of an argument that is a tensor or a number. */
  operand(name: string): string {
    const value = this.#values[name];
    if (isTensor(value)) return this.graph.valueOf(value);
    return this.graph.number(this.number(name));
  }

  number(name: string, fallback?: number): number {
    const value = this.#values[name] ?? fallback;
    if (typeof value !== 'number') throw this.refusal(`'${name}' ${shown(value)}; expected a number`);
    return value;
  }

  optionalNumber(name: string): number | undefined {
    return this.#values[name] === null || this.#values[name] === undefined ? undefined : this.number(name);
  }

  flag(name: string, fallback: boolean): boolean {
    return Boolean(this.#values[name] ?? fallback);
  }

  text(name: string, fallback: string): string {
    const value = this.#values[name];
    return typeof value === 'string' ? value : fallback;
  }

  /** Returns a list of numbers; if a length is given, a single number is repeated. */
  list(name: string, length?: number, fallback?: number): number[] {
    const value = this.#values[name] ?? fallback;
    const list = (Array.isArray(value) ? value : [value]).map((item: unknown) => {
      if (typeof item !== 'number') throw this.refusal(`'${name}' ${shown(item)}; expected numbers`);
      return item;
    });
    return length !== undefined && list.length === 1 ? Array.from({ length }, () => list[0]!) : list;
  }

  optionalList(name: string): number[] | undefined {
    return this.#values[name] === null || this.#values[name] === undefined ? undefined : this.list(name);
  }

  /** Returns a dimension of a tensor, counted from the front. */
  dimension(name: string, of: TracedTensor, fallback?: number): number {
    return fromFront(this.number(name, fallback), of.shape.length);
  }

  /** Returns a size; throws if it grows with the batch. */
  fixed(size: Size | undefined): number {
    if (typeof size === 'number') return size;
    throw this.refusal('works along the batch, whose size is not known before the model runs');
  }

  /** Adds a node and returns the name of its output. */
  node(
    operator: string,
    inputs: readonly string[],
    attributes?: Readonly<Record<string, Attribute>>,
  ): string {
    return this.graph.node(operator, inputs, attributes);
  }

  /** Reshapes a value; the new shape may grow with the batch. */
  reshaped(value: string, shape: readonly Size[]): string {
    const growing = shape.filter((size) => size instanceof BatchMultiple).length;
    if (growing > 1) return this.node('Reshape', [value, this.graph.sizes(shape)]);
    return this.node('Reshape', [
      value,
      this.graph.integers(shape.map((size) => (typeof size === 'number' ? size : -1))),
    ]);
  }

  refusal(what: string): UserError {
    return new UserError(`cannot be exported: ${this.#layer}: ${this.operator} ${what}`);
  }
}

/** Converts a dimension that may count from the end (-1 is the last) to one that counts from the front. */
export function fromFront(dimension: number, dimensions: number): number {
  return dimension < 0 ? dimension + dimensions : dimension;
}

export function isSameSize(a: Size | undefined, b: Size | undefined): boolean {
  const [one, other] = [a, b].map((size) => (size instanceof BatchMultiple ? `${size.factor}n` : size));
  return one === other;
}

function isTensor(value: TracedValue | unknown): value is TracedTensor {
  return typeof value === 'object' && value !== null && 'id' in value && 'shape' in value;
}

function shown(value: unknown): string {
  return value instanceof BatchMultiple ? 'depends on the batch size' : `is ${String(value)}`;
}
