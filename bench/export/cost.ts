// What exporting a network at 224 pixels costs: seconds, and peak memory in parts of the weights. Prints JSON.
//   cost.js NAME FOLDER           makes a model and measures its export in a process of its own

import { spawnSync } from 'node:child_process';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { exportOnnx } from 'anyclass';
import { createNetwork, isNetworkName } from 'anyclass/networks';
import { saveModel } from 'anyclass/runs';

const [name = 'vit-b-16', folder = '.', isChild] = process.argv.slice(2);
const model = join(folder, 'model.safetensors');
if (isChild === undefined) make();
else await measure();

function make(): void {
  if (!isNetworkName(name)) throw new RangeError(`there is no network '${name}'`);
  const classes = Array.from({ length: 17 }, (_, j) => `class ${j}`);
  using network = createNetwork(name, { classes: classes.length, inputSize: 224 });
  const description = {
    classes,
    channels: 3,
    mean: [0.5],
    std: [0.25],
    epoch: 0,
    loss: '',
    dataset: '',
  } as const;
  saveModel(model, { network, description });
  spawnSync(process.execPath, [fileURLToPath(import.meta.url), name, folder, 'child'], { stdio: 'inherit' });
}

async function measure(): Promise<void> {
  const out = join(folder, 'model.onnx');
  writeFileSync('/proc/self/clear_refs', '5'); // resets the peak to what is resident now
  const before = resident('VmRSS');
  const cpu = process.cpuUsage();
  const start = performance.now();
  await exportOnnx(model, { out });
  const { user, system } = process.cpuUsage(cpu);
  const weights = statSync(out).size;
  console.log(
    JSON.stringify({
      seconds: (performance.now() - start) / 1000,
      cpuSeconds: (user + system) / 1e6,
      weightsMB: weights / 1e6,
      peakTimesWeights: ((resident('VmHWM') - before) * 1024) / weights,
    }),
  );
}

function resident(field: 'VmRSS' | 'VmHWM'): number {
  return Number(readFileSync('/proc/self/status', 'utf8').match(new RegExp(`${field}:\\s+(\\d+)`))?.[1]);
}
