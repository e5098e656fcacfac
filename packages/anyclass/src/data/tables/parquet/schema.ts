import type { SchemaElement, SchemaTree } from 'hyparquet';

/** A column that has values of its own: the others are made of such columns. */
export interface Leaf {
  readonly path: readonly string[];
  readonly element: SchemaElement;
  /** The largest repetition level: the number of lists around a value. */
  readonly repetition: number;
  /** The largest definition level: the number of parts of the path that may be missing. */
  readonly definition: number;
  /** Whether the column is directly below the root and each row has at most one value. */
  readonly isFlat: boolean;
}

/**
 * The columns with values at and below a node of the schema, in the order of a row group.
 *
 * @example
 * leavesOf(parquetSchema(metadata)).map(({ path }) => path.join('.')) // ['image.bytes', 'image.path', 'labels']
 */
export function leavesOf(node: SchemaTree, above = { repetition: 0, definition: 0 }): Leaf[] {
  const { element, children, path } = node;
  const isBelowRoot = path.length > 0;
  const repetition = above.repetition + (isBelowRoot && element.repetition_type === 'REPEATED' ? 1 : 0);
  const definition = above.definition + (isBelowRoot && element.repetition_type !== 'REQUIRED' ? 1 : 0);
  if (children.length > 0) return children.flatMap((child) => leavesOf(child, { repetition, definition }));
  return [{ path, element, repetition, definition, isFlat: path.length === 1 && repetition === 0 }];
}

/** The elements of a node and of all below it, in the order in which Parquet stores a schema. */
export function elementsOf({ element, children }: SchemaTree): SchemaElement[] {
  return [element, ...children.flatMap(elementsOf)];
}
