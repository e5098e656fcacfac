// Files of tests share a process. What earlier ones left to the garbage collector would go while a later one counts tensors.

import { setTimeout } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { liveTensors } from '../src/index.js';

/** Releases all tensors that nothing refers to: until some rounds in a row found none. */
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
