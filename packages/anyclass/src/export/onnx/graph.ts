// The parts of an ONNX graph that we use. https://onnx.ai/onnx/repo-docs/IR.html

export type ElementType = 'float32' | 'float16' | 'int8' | 'int64' | 'bool';

/** A named size is dynamic. */
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
  /** Names of values; '' for an omitted one. */
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  readonly attributes: Readonly<Record<string, Attribute>>;
}

/** A value that is part of the file. */
export interface Initializer {
  readonly name: string;
  readonly type: ElementType;
  readonly shape: readonly number[];
  /** Little-endian and row-major; called when it is written, and valid until the next one is read. */
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
