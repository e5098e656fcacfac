// Our step on two processes beside PyTorch's DistributedDataParallel, both over Gloo on the same cores, in turns.
//
//   PEER_PYTHON=python3 node bench/dist/distributed/run.js [NETWORK SIZE BATCH STEPS]

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const settings = process.argv.slice(2);
const rounds = 3;
const ours = fileURLToPath(new URL('ours.js', import.meta.url));
const peer = fileURLToPath(new URL('../../distributed/ddp_peer.py', import.meta.url));
const sides = {
  ours: [process.execPath, ours],
  ddp: [process.env['PEER_PYTHON'] ?? 'python3', peer],
} as const;
const times: Record<keyof typeof sides, number[]> = { ours: [], ddp: [] };

for (let round = 0; round < rounds; round++) {
  times.ours.push(await step('ours', round));
  times.ddp.push(await step('ddp', round));
}
const best = { ours: Math.min(...times.ours), ddp: Math.min(...times.ddp) };
console.log(`two processes, ${settings.join(' ') || 'resnet-18 64 16 12'}, best of ${rounds} medians:`);
console.log(
  `  ours ${best.ours.toFixed(1)} ms, DDP ${best.ddp.toFixed(1)} ms, ratio ${(best.ours / best.ddp).toFixed(2)}`,
);

async function step(side: keyof typeof sides, round: number): Promise<number> {
  const [program, script] = sides[side];
  const port = String(29_600 + 2 * round + (side === 'ours' ? 0 : 1));
  const ranks = [0, 1].map(async (rank) => {
    const env = {
      RANK: String(rank),
      WORLD_SIZE: '2',
      MASTER_ADDR: '127.0.0.1',
      MASTER_PORT: port,
      OMP_NUM_THREADS: '1',
    };
    const child = spawn(program, [script, ...settings], {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let text = '';
    child.stdout.on('data', (data) => {
      text += data;
    });
    const [code] = await once(child, 'close');
    if (code !== 0) throw new Error(`${side} ended with exit code ${code}`);
    return text;
  });
  const [first = '{}'] = await Promise.all(ranks);
  return JSON.parse(first).milliseconds;
}
