// The parts of an ONNX graph that we use. https://onnx.ai/onnx/repo-docs/IR.html

export type ElementType = 'float32' | 'float16' | 'int8' | 'int64' | 'bool';

/** The size of a dimension; a name stands for a dynamic size. */
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
  /** A standard ONNX operator. */
  readonly operator: string;
  readonly name: string;
  /** Names of values; '' for an omitted input. */
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  readonly attributes: Readonly<Record<string, Attribute>>;
}

/** A constant that is stored in the file. */
export interface Initializer {
  readonly name: string;
  readonly type: ElementType;
  readonly shape: readonly number[];
  /**
   * Returns the bytes, little-endian and row-major; called when they are written. They are valid until
   * another initializer is read.
   */
  readonly read: () => Uint8Array;
}

export interface Graph {
  readonly name: string;
  readonly inputs: readonly GraphValue[];
  readonly outputs: readonly GraphValue[];
  /** In topological order. */
  readonly nodes: readonly GraphNode[];
  readonly initializers: readonly Initializer[];
}

/** Number of bytes per element. */
export const elementBytes: Readonly<Record<ElementType, number>> = {
  float32: 4,
  float16: 2,
  int8: 1,
  int64: 8,
  bool: 1,
};

/** Returns the number of bytes in an initializer. */
export function byteLength({ type, shape }: Pick<Initializer, 'type' | 'shape'>): number {
  return shape.reduce((product, size) => product * size, elementBytes[type]);
}
