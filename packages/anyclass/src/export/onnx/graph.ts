// An ONNX graph in memory, as far as we use it. https://onnx.ai/onnx/repo-docs/IR.html

export type ElementType = 'float32' | 'float16' | 'int8' | 'int64' | 'bool';

/** A size with a name differs from one run to the next. */
export type Dimension = number | string;

export interface GraphValue {
  readonly name: string;
  readonly type: ElementType;
  readonly shape: readonly Dimension[];
}

export type Attribute =
  | { readonly int: number }
  | { readonly ints: readonly number[] }
  | { readonly float: number }
  | { readonly text: string };

export interface GraphNode {
  /** Of ONNX's own operators. */
  readonly operator: string;
  readonly name: string;
  /** Names of values; '' for one that is left out. */
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  readonly attributes: Readonly<Record<string, Attribute>>;
}

/** A value that is part of the file. */
export interface Initializer {
  readonly name: string;
  readonly type: ElementType;
  readonly shape: readonly number[];
  /** Little-endian and row-major, until the next one is read; called when its turn comes to be written. */
  readonly read: () => Uint8Array;
}

export interface Graph {
  readonly name: string;
  readonly inputs: readonly GraphValue[];
  readonly outputs: readonly GraphValue[];
  /** Each after those whose outputs it takes. */
  readonly nodes: readonly GraphNode[];
  readonly initializers: readonly Initializer[];
}

/** Bytes of one element. */
export const elementBytes: Readonly<Record<ElementType, number>> = {
  float32: 4,
  float16: 2,
  int8: 1,
  int64: 8,
  bool: 1,
};

/** How many bytes an initializer takes. */
export function byteLength({ type, shape }: Pick<Initializer, 'type' | 'shape'>): number {
  return shape.reduce((product, size) => product * size, elementBytes[type]);
}
