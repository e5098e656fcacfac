// What a command costs, as GNU time reports it.

import { spawnSync } from 'node:child_process';

/** Processor time of a process and its threads, and its largest resident memory. */
export interface Cost {
  readonly seconds: number;
  readonly megabytes: number;
}

/** Runs a command to its end; throws with what it printed to stderr if it fails. */
export function commandCost(words: readonly string[]): Cost & { readonly output: string } {
  const { stdout, stderr, status } = spawnSync('/usr/bin/time', ['-f', '%U %S %M', ...words], {
    encoding: 'utf8',
    maxBuffer: 1 << 29,
  });
  const [user, system, kilobytes] = (stderr.trimEnd().split('\n').at(-1) ?? '').split(' ').map(Number);
  if (status !== 0 || kilobytes === undefined) throw new Error(`${words.join(' ')} failed: ${stderr}`);
  return { seconds: user! + system!, megabytes: kilobytes / 1024, output: stdout };
}
