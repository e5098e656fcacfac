// Training steps of the networks against PyTorch, on two CPU cores, with the same weights.
//
//   npm run bench:networks [-- compile]      PYTHON names a Python with torch and timm; with compile, it trains with torch.compile

import { fileURLToPath } from 'node:url';
import { compare, type Line, type Measured, runSide } from '../measure/sides.js';

/** Batch size, pixels and number of steps for each network. */
const networks = [
  ['tresnet-m', 16, 64, 7],
  ['vit-b-16', 4, 64, 5],
  ['tresnet-s', 64, 64, 7],
  ['tresnet-m', 8, 224, 3],
  ['resnet-50', 8, 224, 3],
  ['vit-s-16', 8, 224, 3],
] as const;

const lines = networks.flatMap(([name, , size]): Line[] => [
  { name: `${name} at ${size} px, first loss`, unit: '' },
  { name: `${name} at ${size} px, training step`, unit: 'ms', limit: 1.05 },
  // CPU time of both cores together, which a busy machine affects least.
  { name: `${name} at ${size} px, training step, CPU time`, unit: 'ms', limit: 1.05 },
]);
const ours = fileURLToPath(new URL('ours.js', import.meta.url));
const peer = fileURLToPath(new URL('../../networks/peer.py', import.meta.url));

const mode = process.argv[2] === 'compile' ? 'compile' : 'eager';

const each = (program: string, script: string): Measured =>
  Object.assign(
    {},
    ...networks.map((parameters) => runSide(program, [script, ...parameters.map(String), mode])),
  );

compare(
  lines,
  () => each(process.execPath, ours),
  () => each(process.env['PYTHON'] ?? '/usr/bin/python3', peer),
);
