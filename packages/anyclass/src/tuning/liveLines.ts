// Several lines that change in place on a terminal; elsewhere only what is final is written.

import type { ProgressOutput } from '../commandLine/progressBar.js';

export interface LiveLines {
  /** Sets a line, from 0 on. */
  set(line: number, text: string): void;
  /** Writes a line above the live ones that stays. */
  note(text: string): void;
  /** Removes the live lines. */
  end(): void;
}

const redrawEvery = 100;

/**
 * @example
 * const lines = liveLines(3);
 * lines.set(0, 'worker 1: trial 7, epoch 3/8');
 * lines.note('trial 6: stopped');
 * lines.end();
 */
export function liveLines(
  count: number,
  output: ProgressOutput = process.stderr,
  now = () => performance.now(),
): LiveLines {
  const texts = Array.from({ length: count }, () => '');
  let drawn = false;
  let drawnAt = Number.NEGATIVE_INFINITY;
  // Moves the cursor to the first live line and clears all below it.
  const clear = () => (drawn ? `\x1b[${count}F\x1b[J` : '');
  const draw = (before: string) => {
    const width = (output.columns ?? 80) - 1;
    const lines = texts.map((text) => `${[...text].slice(0, width).join('')}\n`).join('');
    output.write(clear() + before + lines);
    drawn = true;
    drawnAt = now();
  };
  return {
    set(line, text) {
      texts[line] = text;
      if (output.isTTY && now() - drawnAt >= redrawEvery) draw('');
    },
    note(text) {
      if (output.isTTY) draw(`${text}\n`);
      else output.write(`${text}\n`);
    },
    end() {
      if (output.isTTY) output.write(clear());
      drawn = false;
    },
  };
}
