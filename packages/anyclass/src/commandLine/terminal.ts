// What a command writes to: standard output for results, standard error for everything on the way.

import { ProgressBar } from './progressBar.js';

export interface Terminal {
  /** A result, to standard output. */
  print(text: string): void;
  /** A remark, to standard error. */
  note(text: string): void;
  progress(label: string, total: number, unit: string): ProgressBar;
}

export function standardTerminal(): Terminal {
  return {
    print: (text) => void process.stdout.write(`${text}\n`),
    note: (text) => void process.stderr.write(`${text}\n`),
    progress: (label, total, unit) => new ProgressBar(label, total, unit),
  };
}
