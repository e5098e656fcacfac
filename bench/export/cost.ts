// The cost of `anyclass export` of a network at 224 pixels: seconds, and the command's peak memory relative to the weights. Prints JSON.
//   cost.js NAME [FOLDER]         creates a model and exports it as a user does

import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createNetwork, isNetworkName } from 'anyclass/networks';
import { saveModel } from 'anyclass/runs';

const [name = '', folder = join(tmpdir(), 'anyclass-cost')] = process.argv.slice(2);
mkdirSync(folder, { recursive: true });
const model = join(folder, 'model.safetensors');
make();
await measure();

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
}

async function measure(): Promise<void> {
  const out = join(folder, 'model.onnx');
  const program = fileURLToPath(new URL('../../../packages/anyclass/bin/anyclass.js', import.meta.url));
  const start = performance.now();
  const child = spawn(process.execPath, [program, 'export', model, '--out', out], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  let peak = 0;
  let cpu = 0;
  // Both only grow, so the last sample, a few milliseconds before the end, is the result.
  const look = setInterval(() => {
    peak = Math.max(peak, peakMemory(child.pid));
    cpu = Math.max(cpu, processorSeconds(child.pid));
  }, 5);
  const status = await new Promise((done) => child.once('exit', done));
  clearInterval(look);
  if (status !== 0) throw new Error(`anyclass export failed (${status})`);
  const weights = statSync(out).size;
  console.log(
    JSON.stringify({
      seconds: (performance.now() - start) / 1000,
      cpuSeconds: cpu,
      weightsMB: weights / 1e6,
      peakTimesWeights: peak / weights,
    }),
  );
}

/** Bytes; 0 for a process that is exiting. */
function peakMemory(pid: number | undefined): number {
  return 1024 * Number(proc(pid, 'status').match(/VmHWM:\s+(\d+)/)?.[1] ?? 0);
}

function processorSeconds(pid: number | undefined): number {
  const fields = proc(pid, 'stat').split(') ')[1]?.split(' ');
  return fields ? (Number(fields[11]) + Number(fields[12])) / 100 : 0;
}

function proc(pid: number | undefined, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}
