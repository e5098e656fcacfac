// Training steps of the networks against PyTorch on the same libtorch, on two CPU cores, with the same weights.
//
//   npx tsc -b bench && node bench/dist/networks/run.js

import { fileURLToPath } from 'node:url';
import { compare, type Line, type Measured, runSide } from '../measure/sides.js';

// Spinning threads make both sides many times slower when other programs run, and no faster otherwise.
process.env['OMP_WAIT_POLICY'] ??= 'passive';

/** Batch size and number of steps for each network. */
const networks = [
  ['tresnet-m', 16, 7],
  ['vit-b-16', 4, 5],
] as const;

const lines = networks.flatMap(([name]): Line[] => [
  { name: `${name} first loss`, unit: '' },
  { name: `${name} training step`, unit: 'ms', limit: 1.05 },
  // CPU time of both cores together, which a busy machine affects least.
  { name: `${name} training step, CPU time`, unit: 'ms', limit: 1.05 },
]);
const ours = fileURLToPath(new URL('ours.js', import.meta.url));
const peer = fileURLToPath(new URL('../../networks/peer.py', import.meta.url));

const each = (program: string, script: string): Measured =>
  Object.assign({}, ...networks.map((parameters) => runSide(program, [script, ...parameters.map(String)])));

compare(
  lines,
  () => each(process.execPath, ours),
  () => each(process.env['PYTHON'] ?? '/usr/bin/python3', peer),
);
