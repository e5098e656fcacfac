// Our step on two processes against PyTorch's DistributedDataParallel, both over Gloo on the same cores, alternating. The sides
// also alternate in going first, so that other load on the machine affects both.
//
//   PEER_PYTHON=python3 ROUNDS=6 node bench/dist/distributed/run.js [NETWORK SIZE BATCH STEPS]

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { median } from '../measure/timing.js';

const settings = process.argv.slice(2);
const rounds = Number(process.env['ROUNDS'] ?? 6);
const ours = fileURLToPath(new URL('ours.js', import.meta.url));
const peer = fileURLToPath(new URL('../../distributed/ddp_peer.py', import.meta.url));
const sides = {
  ours: [process.execPath, ours],
  ddp: [process.env['PEER_PYTHON'] ?? 'python3', peer],
} as const;
interface Step {
  readonly milliseconds: number;
  /** CPU time of one rank in milliseconds, user and system: comparable on a busy machine. */
  readonly processor: number;
}
const steps: Record<keyof typeof sides, Step[]> = { ours: [], ddp: [] };

for (let round = 0; round < rounds; round++) {
  const order = ['ours', 'ddp'] as const;
  for (const side of round % 2 === 0 ? order : order.toReversed()) {
    const { milliseconds, processor } = await step(side, round);
    steps[side].push({ milliseconds, processor });
    console.log(`${side}: ${milliseconds.toFixed(0)} ms, ${processor.toFixed(0)} ms of CPU time`);
  }
}
console.log(`two processes, ${settings.join(' ') || 'resnet-18 64 16 12'}, medians of ${rounds} rounds:`);
for (const kind of ['milliseconds', 'processor'] as const) {
  const ours = steps.ours.map((each) => each[kind]);
  const ddp = steps.ddp.map((each) => each[kind]);
  const text = (values: readonly number[]) => values.map((value) => value.toFixed(0)).join(', ');
  const best = Math.min(...ours) / Math.min(...ddp);
  console.log(`  ${kind}: ours ${text(ours)}; DDP ${text(ddp)}`);
  console.log(
    `    ratio of the medians ${(median(ours) / median(ddp)).toFixed(3)}, of the best ${best.toFixed(3)}`,
  );
}

async function step(side: keyof typeof sides, round: number): Promise<Step> {
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
  return JSON.parse(first);
}
