// The process's memory as Linux reports it.

import { readFileSync, writeFileSync } from 'node:fs';

/** Peak resident memory while a function runs, minus what was resident before, in MiB. */
export function peakMemory(fn: () => void): number {
  // 5 resets the peak (VmHWM) to what is resident now.
  writeFileSync('/proc/self/clear_refs', '5');
  const before = resident('VmRSS');
  fn();
  return (resident('VmHWM') - before) / 1024;
}

function resident(field: 'VmRSS' | 'VmHWM'): number {
  return Number(readFileSync('/proc/self/status', 'utf8').match(new RegExp(`${field}:\\s+(\\d+)`))?.[1]);
}
