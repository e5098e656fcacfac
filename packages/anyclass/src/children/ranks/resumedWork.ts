// What a restart works on: a run that has started is resumed; any other work is done again.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { RunEvent } from '../../events/runEvent.js';
import type { RankWork } from '../work.js';

export interface ResumedWork {
  /** The work of the next attempt. */
  next(): RankWork;
  /** Says where the work resumes, for a note. */
  from(): string;
  /** Learns from the first rank's events which run it is and what it saved. */
  listen(event: RunEvent): void;
}

/**
 * Follows work that may be restarted. A restart changes which run is trained, and nothing else.
 *
 * @example
 * const work = resumedWork({ kind: 'train', run: { configuration }, json: true });
 * work.listen({ type: 'started', run: 'runs/digits', … });
 * work.next() // { kind: 'train', run: { resume: 'runs/digits' }, json: true }
 */
export function resumedWork(work: RankWork): ResumedWork {
  const isStarting = work.kind === 'train' && 'configuration' in work.run;
  let folder = isStarting && 'configuration' in work.run ? work.run.folder : undefined;
  let hasStarted = false;
  let saved: string | undefined;
  // Only a restart resumes: a folder that holds a run when we start is a mistake, as without a launcher.
  let isFirst = true;
  return {
    next() {
      const isRestart = !isFirst;
      isFirst = false;
      if (!isRestart || work.kind !== 'train' || !isStarting || folder === undefined) return work;
      const isBegun = hasStarted || existsSync(join(folder, 'config.json'));
      return isBegun ? { ...work, run: { resume: folder } } : work;
    },
    from: () => (saved === undefined ? 'from the beginning' : `from ${saved}`),
    listen(event) {
      if (event.type === 'started') {
        folder = event.run;
        hasStarted = true;
      }
      if (event.type === 'saved') saved = event.checkpoint;
    },
  };
}
