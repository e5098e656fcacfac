// `npm run bench:loss`: the class-balanced any-class focal loss, forward and backward, beside the paper's formulation in
// PyTorch on the same libtorch, on the CPU.

import { fileURLToPath } from 'node:url';
import { compare, runSide } from '../measure/sides.js';

const shapes = ['256x17', '4096x80', '65536x100'];
const ours = fileURLToPath(new URL('ours.js', import.meta.url));
const peer = fileURLToPath(new URL('../../loss/peer.py', import.meta.url));

compare(
  shapes.map((name) => ({ name, unit: 'ms', limit: 0.2 })),
  () => runSide(process.execPath, [ours, ...shapes]),
  () => runSide(process.env['PYTHON'] ?? '/usr/bin/python3', [peer, ...shapes]),
);
