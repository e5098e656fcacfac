// `npm run bench:loss`: the class-balanced any-class focal loss and ASL, forward and backward, against the papers'
// formulations in PyTorch, on the CPU.

import { fileURLToPath } from 'node:url';
import { compare, runSide } from '../measure/sides.js';

const problems = ['focal 256x17', 'focal 4096x80', 'focal 65536x100', 'asl 256x17', 'asl 4096x80'];
const ours = fileURLToPath(new URL('ours.js', import.meta.url));
const peer = fileURLToPath(new URL('../../loss/peer.py', import.meta.url));

compare(
  problems.map((name) => ({ name, unit: 'ms', limit: 0.2 })),
  () => runSide(process.execPath, [ours, ...problems]),
  () => runSide(process.env['PYTHON'] ?? '/usr/bin/python3', [peer, ...problems]),
);
