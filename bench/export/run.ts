// Latency of exported files in onnxruntime against PyTorch's own exports of the same networks, and the cost of an export.
// PEER_PYTHON: a Python with torch, timm and onnxruntime.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runSide } from '../measure/sides.js';

const python = process.env['PEER_PYTHON'] ?? 'python3';
const peer = fileURLToPath(new URL('../../export/peer.py', import.meta.url));
const cost = fileURLToPath(new URL('./cost.js', import.meta.url));
const size = '224';

console.log(
  "| network | ours, ms | PyTorch's export, ms | ratio | export, s of CPU | peak, times the weights |",
);
console.log('|---|---|---|---|---|---|');
for (const name of ['resnet-18', 'tresnet-m', 'maxvit-t', 'vit-b-16']) {
  const folder = mkdtempSync(join(tmpdir(), 'anyclass-bench-'));
  const theirs = join(folder, 'peer.onnx');
  const spent = runSide(process.execPath, [cost, name, folder]);
  const exported = spawnSync(python, [peer, 'export', name, size, theirs], { stdio: 'ignore' });
  if (exported.status !== 0) throw new Error(`${python} could not export ${name}; see bench/export/peer.py`);
  const { ours = Number.NaN, peer: other = Number.NaN } = runSide(python, [
    peer,
    'latency',
    join(folder, 'model.onnx'),
    theirs,
    size,
  ]);
  const cells = [ours.toFixed(1), other.toFixed(1), (ours / other).toFixed(3)];
  const { cpuSeconds = Number.NaN, peakTimesWeights = Number.NaN } = spent;
  console.log(`| ${[name, ...cells, cpuSeconds.toFixed(1), peakTimesWeights.toFixed(2)].join(' | ')} |`);
  rmSync(folder, { recursive: true });
}
