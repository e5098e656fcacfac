// `npm run bench:engine`: the engine against PyTorch on the same libtorch, on the CPU. Two threads by default; THREADS=1 is less
// sensitive to other load on the machine.

import { fileURLToPath } from 'node:url';
import { compare, type Line, type Measured, runSide } from '../measure/sides.js';

const lines: Line[] = [
  { name: 'call overhead', unit: 'ns', limit: 1.25 },
  { name: 'matmul 1024³', unit: 'ms', limit: 1.05 },
  { name: 'convolution, forward and backward', unit: 'ms', limit: 1.05 },
  { name: 'CNN training step, batch 64', unit: 'ms', limit: 1.05 },
  { name: 'AdamW step, 50.8M parameters', unit: 'ms', limit: 1.05 },
  { name: 'peak memory, CNN training, batch 512', unit: 'MiB', limit: 1.1 },
];
const ours = fileURLToPath(new URL('ours.js', import.meta.url));
const peer = fileURLToPath(new URL('../../engine/peer.py', import.meta.url));

// glibc adapts its threshold between heap and mapped memory to past allocations, so measured memory varies by half. With a fixed
// threshold, a tensor's memory is returned when the tensor is freed, on both sides.
const steadyMemory = { MALLOC_MMAP_THRESHOLD_: '131072' };

// A fresh process for each result, so that memory and caches of one do not affect another.
const each = (program: string, script: string): Measured =>
  Object.assign(
    {},
    ...lines.map(({ name, unit }) => runSide(program, [script, name], unit === 'MiB' ? steadyMemory : {})),
  );

compare(
  lines,
  () => each(process.execPath, ours),
  () => each(process.env['PYTHON'] ?? '/usr/bin/python3', peer),
);
