// What a restart runs: training is resumed; any other command is run again.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { RunEvent } from '../../events/runEvent.js';

export interface ResumedWork {
  /** Arguments of `anyclass`. */
  words(): readonly string[];
  /** Says where the work resumes, for a note. */
  from(): string;
  /** Learns from the first rank's events which run it is and what it saved. */
  listen(event: RunEvent): void;
}

/**
 * @example
 * const work = resumedWork(['train', 'quick']);
 * work.listen({ type: 'started', run: 'runs/digits', … });
 * work.words() // ['train', '--resume', 'runs/digits']
 */
export function resumedWork(words: readonly string[]): ResumedWork {
  const isTraining = words[0] === 'train' && !words.includes('--resume');
  let run = isTraining ? optionOf(words, '--run') : undefined;
  let hasStarted = false;
  let saved: string | undefined;
  const isBegun = () => run !== undefined && (hasStarted || existsSync(join(run, 'config.json')));
  // Only a restart resumes: a folder that holds a run when we start is a mistake, as without a launcher.
  let isFirst = true;
  return {
    words() {
      const isResumed = isTraining && !isFirst && isBegun() && run !== undefined;
      isFirst = false;
      if (!isResumed || run === undefined) return words;
      return ['train', '--resume', run, ...words.filter((word) => word === '--json' || word === '--debug')];
    },
    from: () => (saved === undefined ? 'from the beginning' : `from ${saved}`),
    listen(event) {
      if (event.type === 'started') {
        run = event.run;
        hasStarted = true;
      }
      if (event.type === 'saved') saved = event.checkpoint;
    },
  };
}

function optionOf(words: readonly string[], flag: string): string | undefined {
  const at = words.findIndex((word) => word === flag || word.startsWith(`${flag}=`));
  if (at < 0) return undefined;
  return words[at] === flag ? words[at + 1] : words[at]?.slice(flag.length + 1);
}
