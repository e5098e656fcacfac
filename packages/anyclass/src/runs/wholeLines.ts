import { closeSync, openSync, readSync } from 'node:fs';

export const newline = 0x0a;
const pieceBytes = 4 * 2 ** 20;

/**
 * Yields a file in pieces that end with a line, in memory that is overwritten; the last one ends where the file does.
 *
 * @example
 * for (const lines of linesOf('scores.csv')) lines.at(-1) // 0x0a, except at the end of a file without a last newline
 */
export function* linesOf(path: string, bytes = pieceBytes): Generator<Buffer> {
  const file = openSync(path, 'r');
  try {
    let piece = Buffer.allocUnsafe(bytes);
    let held = 0;
    for (;;) {
      // A line longer than the piece.
      if (held === piece.length) piece = Buffer.concat([piece], 2 * piece.length);
      const read = readSync(file, piece, held, piece.length - held, null);
      const filled = held + read;
      if (read === 0) {
        if (filled > 0) yield piece.subarray(0, filled);
        return;
      }
      const end = piece.lastIndexOf(newline, filled - 1) + 1;
      if (end > 0) yield piece.subarray(0, end);
      piece.copyWithin(0, end, filled);
      held = filled - end;
    }
  } finally {
    closeSync(file);
  }
}
