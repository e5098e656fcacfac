// Cache blocking. An update makes several passes over its tensors; over whole tensors, each pass would stream from
// memory. In blocks that fit in the cache, only the first pass does, and the block bounds the scratch memory.

import type { Device } from '../native/dtype.js';
import { tidy } from '../tensor/memory.js';
import { empty, split } from '../tensor/operators.generated.js';
import type { Tensor } from '../tensor/tensor.js';

export interface Block {
  /** For each piece in this block, its row in the given columns. */
  readonly rows: readonly number[];
  /** Copies one list of pieces, which may then be changed. Call it once per block; the copies are gone afterwards. */
  copy(pieces: readonly Tensor[]): Tensor[];
}

/** Elements per block. On the CPU, a few such arrays fit in the last-level cache; on a GPU it bounds scratch memory. */
export function blockElements(device: Device): number {
  return device === 'cpu' ? 2 ** 19 : 2 ** 24;
}

/**
 * Calls `update` with one list of pieces per column until every element has been in exactly one block. Piece i of every
 * column covers the same elements of the same row. Pieces are views: writing to them writes to the tensors.
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

// All blocks share one scratch buffer: with one allocation per block, glibc's aligned allocations fragment the heap to as
// much as twice the memory (seen with glibc 2.36).
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

/** Splits the tensors of one row in the same way; leaves them whole if their memory layouts do not allow it. */
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
