// Several lines that change in place on a terminal; elsewhere only final lines are written.

import { columnsOf, type ProgressOutput } from './progressBar.js';

export interface LiveLines {
  /** Sets the lines; the function is called when they are drawn, at most ten times a second. */
  show(lines: () => readonly string[]): void;
  /** Writes a permanent line above the live ones. */
  note(text: string): void;
  /** Leaves the drawn lines in place, because something else was written below them. */
  leave(): void;
  /** Draws the last state and leaves it in place. */
  finish(): void;
  /** Removes the live lines. */
  end(): void;
}

const redrawEvery = 100;

/**
 * Creates lines that are redrawn in place on a terminal.
 *
 * @example
 * const lines = liveLines();
 * lines.show(() => ['worker 1: trial 7, epoch 3/8']);
 * lines.note('trial 6: stopped');
 * lines.end();
 */
export function liveLines(output: ProgressOutput = process.stderr, now = () => performance.now()): LiveLines {
  let current: () => readonly string[] = () => [];
  let drawn = 0;
  let drawnAt = Number.NEGATIVE_INFINITY;
  const toFirst = () => (drawn > 0 ? `\x1b[${drawn}F` : '');
  const draw = (above: readonly string[]) => {
    const width = columnsOf(output) - 1;
    const lines = current().map((line) => [...line].slice(0, width).join(''));
    // Clears line by line, then whatever is left below: clearing everything at once makes a terminal flicker.
    output.write(`${toFirst()}${[...above, ...lines].map((line) => `\x1b[2K${line}\n`).join('')}\x1b[J`);
    drawn = lines.length;
    drawnAt = now();
  };
  return {
    show(lines) {
      current = lines;
      if (output.isTTY && now() - drawnAt >= redrawEvery) draw([]);
    },
    note(text) {
      if (output.isTTY) draw([text]);
      else output.write(`${text}\n`);
    },
    leave() {
      drawn = 0;
    },
    finish() {
      if (output.isTTY) draw([]);
      drawn = 0;
    },
    end() {
      if (output.isTTY && drawn > 0) output.write(`${toFirst()}\x1b[J`);
      drawn = 0;
    },
  };
}
