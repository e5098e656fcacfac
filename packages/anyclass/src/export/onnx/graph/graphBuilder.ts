// Builds a graph node by node.

import { empty, keep, type Tensor, tidy } from '@anyclass/torch';
import { UserError } from '../../../errors/userError.js';
import { type Attribute, type ElementType, elementBytes, type GraphNode, type Initializer } from './graph.js';
import { BatchMultiple, type Size, type TracedTensor } from './trace.js';

export interface NodeOptions {
  readonly attributes?: Readonly<Record<string, Attribute>>;
  /** Number of outputs; default 1. */
  readonly outputs?: number;
}

export class GraphBuilder implements Disposable {
  readonly nodes: GraphNode[] = [];
  readonly #initializers = new Map<string, Initializer>();
  /** Names of the traced values by id. */
  readonly #names = new Map<number, string>();
  readonly #used = new Map<string, number>();
  readonly #input: string;
  #memory = new Uint8Array(0);
  #scratch: Tensor | undefined;
  /** The layer whose operators are being translated; new names start with it. */
  layer = '';

  constructor(input: string) {
    this.#input = input;
    this.#used.set(input, 1);
  }

  get initializers(): Initializer[] {
    return [...this.#initializers.values()];
  }

  /** Adds a node and returns the name of its output. */
  node(operator: string, inputs: readonly string[], attributes: NodeOptions['attributes'] = {}): string {
    return this.nodeWith(operator, inputs, { attributes })[0]!;
  }

  /** Adds a node that may have several outputs, and returns their names. */
  nodeWith(
    operator: string,
    inputs: readonly string[],
    { attributes = {}, outputs = 1 }: NodeOptions = {},
  ): string[] {
    const name = this.#unique(this.layer === '' ? operator : `${this.layer}/${operator}`);
    const names = Array.from({ length: outputs }, (_, i) => (outputs === 1 ? name : `${name}:${i}`));
    this.nodes.push({ operator, name, inputs, outputs: names, attributes });
    return names;
  }

  /** Sets the name in the graph of a traced value. */
  bind({ id }: TracedTensor, name: string): void {
    this.#names.set(id, name);
  }

  /** Returns the name of a traced value; a constant becomes an initializer. */
  valueOf(tensor: TracedTensor): string {
    const known = this.#names.get(tensor.id);
    if (known !== undefined) return known;
    if (!tensor.constant) throw new Error(`${this.layer} takes a value that was never computed`);
    const name = this.constant(tensor);
    this.bind(tensor, name);
    return name;
  }

  /** Adds a constant as an initializer, after applying `change` (such as a transposition) if given. */
  constant(
    tensor: TracedTensor,
    change?: { readonly title: string; readonly of: (x: Tensor) => Tensor },
  ): string {
    const { constant, name, shape, id } = tensor;
    if (!constant)
      throw new UserError(
        `cannot be exported: ${this.layer} needs a constant where a value depends on the input`,
      );
    const rows = shape.map((size) => (size instanceof BatchMultiple ? size.factor : size));
    const key = `${id} ${change?.title ?? ''}`;
    const title = [name ?? `${this.layer}/constant`, ...(change ? [change.title] : [])].join(':');
    // If there is a row for each image, it is stored once and repeated when the number of images is known.
    const row = () => rows.reduce((part: Tensor, size, i) => part.narrow(i, 0, size), constant);
    const read = () => tidy(() => this.#bytesOf(change ? change.of(row()) : row()));
    const shown = change ? tidy(() => change.of(row()).shape) : rows;
    const initializer = this.#initializer(key, title, {
      type: elementType(constant.dtype, title),
      shape: shown,
      read,
    });
    return shape.some((size) => size instanceof BatchMultiple)
      ? this.node('Expand', [initializer, this.sizes(shape)])
      : initializer;
  }

  /** Adds integers as a value: a shape, axes, or positions. A number instead of a list gives a scalar. */
  integers(values: readonly number[] | number): string {
    const list = typeof values === 'number' ? [values] : values;
    const data = BigInt64Array.from(list, BigInt);
    return this.#initializer(
      `int64 ${JSON.stringify(values)}`,
      `int64_${list.join('_').replaceAll('-', 'm')}`,
      {
        type: 'int64',
        shape: typeof values === 'number' ? [] : [list.length],
        read: () => new Uint8Array(data.buffer),
      },
    );
  }

  /** Adds a number as a float32 scalar. */
  number(value: number): string {
    return this.#initializer(`float32 ${value}`, `float_${value}`.replaceAll('-', 'm'), {
      type: 'float32',
      shape: [],
      read: () => new Uint8Array(Float32Array.of(value).buffer),
    });
  }

  /** Adds numbers as a float32 value. */
  floats(values: Float32Array, title: string, shape: readonly number[] = [values.length]): string {
    return this.#initializer(`${title} ${values.join()}`, title, {
      type: 'float32',
      shape,
      read: () => new Uint8Array(values.buffer, values.byteOffset, values.byteLength),
    });
  }

  /** Adds sizes as a value. Those that grow with the batch are computed from the size of the input. */
  sizes(shape: readonly Size[]): string {
    if (shape.every((size) => typeof size === 'number')) return this.integers(shape);
    const outer = this.layer;
    this.layer = '';
    const batch = this.node('Slice', [
      this.node('Shape', [this.#input]),
      this.integers([0]),
      this.integers([1]),
      this.integers([0]),
    ]);
    this.layer = outer;
    const parts = shape.map((size) => {
      if (typeof size === 'number') return this.integers([size]);
      return size.factor === 1 ? batch : this.node('Mul', [batch, this.integers([size.factor])]);
    });
    return parts.length === 1 ? parts[0]! : this.node('Concat', parts, { axis: { int: 0 } });
  }

  /**
   * Returns the bytes of a tensor in memory that the next call overwrites. Weights are written one after
   * another, so garbage would pile up, as would transposed copies, whose aligned memory glibc's malloc does
   * not reuse for the next one of the same size.
   */
  #bytesOf(tensor: Tensor): Uint8Array {
    const length = tensor.numel * elementBytes[elementType(tensor.dtype, this.layer)];
    if (this.#memory.length < length) this.#memory = new Uint8Array(length);
    const bytes = this.#memory.subarray(0, length);
    this.#rowMajor(tensor).copyBytesTo(bytes);
    return bytes;
  }

  #rowMajor(tensor: Tensor): Tensor {
    const { numel, dtype, shape } = tensor;
    if (dtype !== 'float32' || tensor.isContiguous()) return tensor;
    if (!this.#scratch || this.#scratch.numel < numel) {
      this.#scratch?.dispose();
      this.#scratch = keep(empty([numel]));
    }
    return this.#scratch.narrow(0, 0, numel).view(shape).copy_(tensor);
  }

  /** Frees memory; initializers can no longer be read. */
  [Symbol.dispose](): void {
    this.#scratch?.dispose();
  }

  #initializer(key: string, title: string, content: Omit<Initializer, 'name'>): string {
    const known = this.#initializers.get(key);
    if (known) return known.name;
    const name = this.#unique(title);
    this.#initializers.set(key, { name, ...content });
    return name;
  }

  #unique(title: string): string {
    const count = this.#used.get(title) ?? 0;
    this.#used.set(title, count + 1);
    return count === 0 ? title : this.#unique(`${title}_${count}`);
  }
}

function elementType(dtype: string, where: string): ElementType {
  if (dtype === 'float32' || dtype === 'int64' || dtype === 'bool') return dtype;
  throw new UserError(`cannot be exported: ${where} is ${dtype}; expected float32, int64 or bool`);
}
