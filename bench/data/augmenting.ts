// Color jitter, flip and normalization of decoded images on one core, against torchvision's transforms in the same run.
//
//     node bench/dist/data/augmenting.js          PYTHON names the Python that has Pillow and torchvision

import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { setThreadCount } from '@anyclass/torch';
import { augmentations, deviceBatch } from 'anyclass/data/tensors';

const count = 64;
const peer = fileURLToPath(new URL('../../data/pillow_peer.py', import.meta.url));
setThreadCount(1);
for (const side of [64, 224]) {
  const output = execFileSync(process.env['PYTHON'] ?? '/usr/bin/python3', [peer, 'augment', `${side}`]);
  const theirs: { imagesPerCoreSecond: number } = JSON.parse(output.toString());
  const ours = rate(side);
  const ratio = (ours / theirs.imagesPerCoreSecond).toFixed(1);
  console.log(
    `${side} px: ${Math.round(ours)} images per core-second, torchvision ${Math.round(theirs.imagesPerCoreSecond)} (${ratio}x)`,
  );
}

/** The best of three runs. */
function rate(side: number): number {
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
  const options = {
    format,
    device: 'cpu',
    mean: [0.47, 0.447, 0.408],
    std: [0.233, 0.228, 0.231],
    augmentation: augmentations.photograph,
  } as const;
  let best = 0;
  for (let run = 0; run < 3; run++) {
    const rounds = Math.ceil(4_000_000 / (count * side * side));
    const start = process.cpuUsage();
    for (let round = 0; round < rounds; round++) {
      const { inputs, targets } = deviceBatch({ ...batch, epoch: round }, options);
      inputs.dispose();
      targets.dispose();
    }
    const { user, system } = process.cpuUsage(start);
    best = Math.max(best, (1e6 * rounds * count) / (user + system));
  }
  return best;
}
