import { ProgressBar } from '../commandLine/progressBar.js';
import type { Terminal } from '../commandLine/terminal.js';

/** Where a run tells how it goes; a terminal is one. */
export type TrainingLog = Pick<Terminal, 'note' | 'progress'>;

/** Tells nobody. */
export const quietLog: TrainingLog = {
  note: () => {},
  progress: (label, total, unit) => new ProgressBar(label, total, unit, { write: () => true }),
};
