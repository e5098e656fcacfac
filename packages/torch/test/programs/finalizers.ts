// Makes tensors that nothing owns, and tells what the garbage collector's finalizers leave of them. Run with --expose-gc.

import { liveTensors, ones, zeros } from '@anyclass/torch';

const mebibyte = 2 ** 20;
const turn = () => new Promise((resolve) => setImmediate(resolve));

let held = Array.from({ length: 200 }, () => zeros([mebibyte / 4]));
const made = liveTensors();
held = [];
await collect();
const collected = liveTensors();

// A loop without tidy that yields: V8 knows what the tensors hold, and collects in time.
const before = process.memoryUsage.rss();
let most = 0;
for (let i = 0; i < 800; i++) {
  ones([mebibyte / 4]);
  if (i % 4 === 0) await turn();
  most = Math.max(most, process.memoryUsage.rss() - before);
}
process.stdout.write(JSON.stringify({ made, collected, loopGrowth: most, kept: held.length }));

async function collect(): Promise<void> {
  for (let i = 0; i < 5; i++) {
    globalThis.gc?.();
    await turn();
  }
}
