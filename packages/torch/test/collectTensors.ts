// Test files share a process. Without this, garbage from earlier files would be freed while a later one counts tensors.

import { setTimeout } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { liveTensors } from '../src/index.js';

/** Releases all tensors that nothing refers to; repeats until several rounds in a row find none. */
export async function collectTensors(): Promise<void> {
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  for (let quiet = 0; quiet < 3; ) {
    const before = liveTensors();
    collect();
    await setTimeout(5);
    quiet = liveTensors() < before ? 0 : quiet + 1;
  }
}
