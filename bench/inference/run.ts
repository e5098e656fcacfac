// Prediction of every network on two CPU cores: ours in libtorch and in onnxruntime, beside PyTorch and onnxruntime with PyTorch's own
// export, in turns. Prints a Markdown table with the peer's time over ours: more is better.
//
//   npm run bench:inference [-- NETWORK…]      PYTHON names a Python with torch, timm, torchvision and onnxruntime

import { fileURLToPath } from 'node:url';
import { isNetworkName, networkDefinitions, networkNames } from 'anyclass/networks';
import { type Measured, runSide } from '../measure/sides.js';

const rounds = Number(process.env['ROUNDS'] ?? 2);
const batch = '8';
const repeats = '3';
const ours = fileURLToPath(new URL('ours.js', import.meta.url));
const peer = fileURLToPath(new URL('../../inference/peer.py', import.meta.url));
const python = process.env['PYTHON'] ?? 'python3';

const given = process.argv.slice(2);
const unknown = given.filter((name) => !isNetworkName(name));
if (unknown.length > 0) throw new RangeError(`no such network: ${unknown.join(', ')}`);
const names = given.length > 0 ? given.filter(isNetworkName) : networkNames;
console.log(
  '| network | ours, ms an image | beside PyTorch | ours in onnxruntime | beside onnxruntime | in processor time |',
);
console.log('|---|---|---|---|---|---|');
for (const name of names) {
  // Nobody else has the small TResNet.
  if (networkDefinitions[name].input === 'features' || name === 'tresnet-s') continue;
  const sides = { libtorch: ours, onnx: ours, pytorch: peer, peerOnnx: peer };
  const best = new Map<string, Measured>();
  for (let round = 0; round < rounds; round++) {
    for (const [side, script] of Object.entries(sides)) {
      const engine = side === 'libtorch' || side === 'pytorch' ? side : 'onnxruntime';
      const program = script === ours ? process.execPath : python;
      const found = attempt(program, [script, engine, name, batch, repeats]);
      const before = best.get(side);
      best.set(side, {
        wall: Math.min(before?.['wall'] ?? Number.POSITIVE_INFINITY, found['wall'] ?? Number.NaN),
        cpu: Math.min(before?.['cpu'] ?? Number.POSITIVE_INFINITY, found['cpu'] ?? Number.NaN),
      });
    }
  }
  const value = (side: string, kind: string) => best.get(side)?.[kind] ?? Number.NaN;
  const ratio = (own: string, other: string, kind: string) =>
    (value(other, kind) / value(own, kind)).toFixed(2);
  console.log(
    `| ${name} | ${value('libtorch', 'wall').toFixed(0)} | ${ratio('libtorch', 'pytorch', 'wall')} | ${value('onnx', 'wall').toFixed(0)} | ` +
      `${ratio('onnx', 'peerOnnx', 'wall')} | ${ratio('libtorch', 'pytorch', 'cpu')}, ${ratio('onnx', 'peerOnnx', 'cpu')} |`,
  );
}

/** One side may be unable to run a network, such as an exporter that lacks an operator; the others still count. */
function attempt(program: string, parameters: readonly string[]): Measured {
  try {
    return runSide(program, parameters);
  } catch (error) {
    console.error(String(error));
    return {};
  }
}
