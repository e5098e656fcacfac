// Augmentation of decoded images, case by case, against torchvision's transforms in the same run: on one core by CPU time, and on two
// cores by the clock, where ours are two threads and torchvision's two processes.
//
//     node bench/dist/data/augmenting.js [CASE…]          PYTHON names the Python that has Pillow and torchvision

import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { setThreadCount } from '@anyclass/torch';
import { type Augmentation, augmentations, deviceBatch } from 'anyclass/data/tensors';

const { crops, photograph } = augmentations;
const cases: Readonly<Record<string, Augmentation>> = {
  jitter: photograph,
  crops,
  trivial: { flip: 0.5, trivial: 1 },
  blur: { flip: 0.5, blur: { probability: 1, sigma: [0.1, 2] } },
  jpeg: { flip: 0.5, jpeg: { probability: 1, quality: [30, 90] } },
};

const count = 64;
const peer = fileURLToPath(new URL('../../data/pillow_peer.py', import.meta.url));
const python = process.env['PYTHON'] ?? '/usr/bin/python3';
const names = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(cases);
for (const name of names) {
  const augmentation = cases[name];
  if (!augmentation) throw new Error(`no case ${name}; choose one of ${Object.keys(cases).join(', ')}`);
  for (const side of [64, 224]) {
    for (const cores of [1, 2]) {
      const output = execFileSync(python, [peer, 'augment', `${side}`, name, `${cores}`]);
      const theirs: { rate: number } = JSON.parse(output.toString());
      const ours = rate(augmentation, side, cores);
      const unit = cores === 1 ? 'images per core-second' : 'images/s on two cores';
      console.log(
        `${name}, ${side} px: ${Math.round(ours)} ${unit}, torchvision ${Math.round(theirs.rate)} (${(ours / theirs.rate).toFixed(1)}x)`,
      );
    }
  }
}

/** The best of three runs: by CPU time on one core, by the clock on more. */
function rate(augmentation: Augmentation, side: number, cores: number): number {
  setThreadCount(cores);
  const format = { width: side, height: side, channels: 3 } as const;
  const batch = {
    epoch: 0,
    step: 0,
    size: count,
    inputs: Uint8Array.from({ length: count * side * side * 3 }, (_, i) => (i * 2654435761) >>> 24),
    targets: new Float32Array(count),
    indices: Int32Array.from({ length: count }, (_, i) => i),
    [Symbol.dispose]() {},
  };
  const mean = [0.47, 0.447, 0.408];
  const std = [0.233, 0.228, 0.231];
  const options = { format, device: 'cpu', mean, std, augmentation } as const;
  const rounds = Math.ceil(4_000_000 / (count * side * side));
  let best = 0;
  for (let run = 0; run < 3; run++) {
    const start = process.cpuUsage();
    const startClock = performance.now();
    for (let round = 0; round < rounds; round++) {
      const { inputs, targets } = deviceBatch({ ...batch, epoch: round }, options);
      inputs.dispose();
      targets.dispose();
    }
    const { user, system } = process.cpuUsage(start);
    const seconds = cores === 1 ? (user + system) / 1e6 : (performance.now() - startClock) / 1000;
    best = Math.max(best, (rounds * count) / seconds);
  }
  return best;
}
