// Cache blocking. An update makes several passes over its tensors; over whole ones each pass would stream from memory.
// In blocks that fit the cache only the first does, and scratch memory is bounded by the block.

import type { Device } from '../dtype.js';
import { tidy } from '../memory.js';
import { empty, split } from '../operators.generated.js';
import type { Tensor } from '../tensor.js';

export interface Block {
  /** The row, in the columns that were given, of each piece in this block. */
  readonly rows: readonly number[];
  /** Copies of one list of pieces, to change at will: once a block, and gone after it. */
  copy(pieces: readonly Tensor[]): Tensor[];
}

/** Elements of a block: on the CPU a few such arrays share a last-level cache, on a GPU it bounds the scratch memory. */
export function blockElements(device: Device): number {
  return device === 'cpu' ? 2 ** 19 : 2 ** 24;
}

/**
 * Calls `update` with one list of pieces for each column, piece i of every column being the same elements of the same
 * row, until every element was in exactly one block. Pieces are views: writing to them writes to the tensors.
 *
 * @example
 * inBlocks([parameters, gradients], 2 ** 19, (_, weights, slopes) => foreachAddList_(weights, slopes, { alpha: -0.1 }));
 */
export function inBlocks(
  columns: readonly (readonly Tensor[])[],
  elements: number,
  update: (block: Block, ...pieces: Tensor[][]) => void,
): void {
  const [first] = columns[0] ?? [];
  if (!first) return;
  tidy(() => {
    const scratch = empty([elements], { dtype: first.dtype, device: first.device });
    let block = new OpenBlock(columns.length);
    const flush = () => {
      if (block.rows.length > 0) tidy(() => update(withScratch(block.rows, scratch), ...block.pieces));
      block = new OpenBlock(columns.length);
    };
    for (let row = 0; row < columns[0]!.length; row++) {
      const slices = sliceTogether(
        columns.map((column) => column[row]!),
        elements,
      );
      for (const pieces of slices) {
        const size = pieces[0]!.numel;
        if (block.elements + size > elements) flush();
        block.add(row, pieces, size);
      }
    }
    flush();
  });
}

class OpenBlock {
  readonly rows: number[] = [];
  readonly pieces: Tensor[][];
  elements = 0;

  constructor(columnCount: number) {
    this.pieces = Array.from({ length: columnCount }, () => []);
  }

  add(row: number, pieces: readonly Tensor[], size: number): void {
    this.rows.push(row);
    this.pieces.forEach((column, c) => {
      column.push(pieces[c]!);
    });
    this.elements += size;
  }
}

// A scratch buffer that stays the same: with one allocation for each block, glibc's aligned allocations fragment the heap
// up to twice the memory (seen with glibc 2.36).
function withScratch(rows: readonly number[], scratch: Tensor): Block {
  return {
    rows,
    copy(pieces) {
      let used = 0;
      return pieces.map((piece) => {
        if (piece.ndim !== 1 || used + piece.numel > scratch.numel) return piece.clone();
        const target = scratch.narrow(0, used, piece.numel);
        used += piece.numel;
        return target.copy_(piece);
      });
    },
  };
}

/** The tensors of one row cut in the same way; whole where their layouts in memory do not allow for it. */
function sliceTogether(tensors: readonly Tensor[], elements: number): Tensor[][] {
  const flat = flattenTogether(tensors);
  if (!flat) return [[...tensors]];
  if (flat[0]!.numel <= elements) return [flat];
  const slices = flat.map((tensor) => split(tensor, elements));
  return slices[0]!.map((_, s) => slices.map((slice) => slice[s]!));
}

function flattenTogether(tensors: readonly Tensor[]): Tensor[] | undefined {
  if (tensors.every((tensor) => tensor.isContiguous())) return tensors.map((tensor) => tensor.view([-1]));
  if (tensors.every((tensor) => tensor.ndim === 4 && tensor.isContiguous('channelsLast'))) {
    return tensors.map((tensor) => tensor.permute([0, 2, 3, 1]).view([-1]));
  }
  return undefined;
}
