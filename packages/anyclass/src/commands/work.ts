// Work that another process of this program sent.

import type { Work } from '../children/work.js';
import type { Terminal } from '../commandLine/terminal.js';
import { launchForMain, launchHere, loadDivided } from './launch.js';

export async function runWork(work: Work, terminal: Terminal): Promise<unknown> {
  switch (work.kind) {
    case 'train':
      return (await import('./train.js')).trainHere(work, terminal);
    case 'launch':
      return launchHere(work, terminal);
    case 'agent':
      return launchForMain(work, terminal);
    default:
      return (await loadDivided(work.kind)).run(work.options, terminal);
  }
}
