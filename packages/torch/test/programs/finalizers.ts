// Makes tensors that nothing owns, and reports how many are left after the garbage collector has run. Run with --expose-gc.

import { liveTensors, ones, zeros } from '@anyclass/torch';

const mebibyte = 2 ** 20;
const turn = () => new Promise((resolve) => setImmediate(resolve));

let held = Array.from({ length: 200 }, () => zeros([mebibyte / 4]));
const made = liveTensors();
held = [];
await collect();
const collected = liveTensors();

// A loop without tidy that yields: V8 knows the size of the tensors and collects in time.
const before = process.memoryUsage.rss();
let most = 0;
for (let i = 0; i < 800; i++) {
  ones([mebibyte / 4]);
  if (i % 4 === 0) await turn();
  most = Math.max(most, process.memoryUsage.rss() - before);
}

// A synchronous loop without tidy, with large and with small tensors: collected tensors are freed as others are made.
await collect();
const large = growthOf(800, () => ones([mebibyte / 4]));
await collect();
const small = growthOf(100_000, () => ones([64]).add(1));
const mean = ones([64]).mean().item();
process.stdout.write(
  JSON.stringify({ made, collected, loopGrowth: most, large, small, mean, kept: held.length }),
);

function growthOf(rounds: number, work: () => void): { memory: number; live: number } {
  const start = process.memoryUsage.rss();
  let [memory, live] = [0, 0];
  for (let i = 0; i < rounds; i++) {
    work();
    live = Math.max(live, liveTensors());
    if (i % 100 === 0) memory = Math.max(memory, process.memoryUsage.rss() - start);
  }
  return { memory, live };
}

async function collect(): Promise<void> {
  for (let i = 0; i < 5; i++) {
    globalThis.gc?.();
    await turn();
  }
}
