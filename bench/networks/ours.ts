// Our side of the networks' training steps on the CPU; prints what it measured as JSON.

import { keep, keepFreedMemory, setThreadCount, tidy } from '@anyclass/torch';
import { isNetworkName } from 'anyclass/networks';
import { hashImages } from 'anyclass/verify';
import { targets, trainer } from './step.js';

const [name = '', batch = '16', size = '64', steps = '9'] = process.argv.slice(2);
if (!isNetworkName(name)) throw new RangeError(`there is no network '${name}'`);
setThreadCount(2);
keepFreedMemory(); // as training does

const { step } = trainer(name, { device: 'cpu', inputSize: Number(size), mixedPrecision: false });
const x = keep(hashImages([Number(batch), 3, Number(size), Number(size)]));
const y = keep(targets(Number(batch)));
const timed = () => {
  const cpu = process.cpuUsage();
  const start = performance.now();
  const loss = tidy(() => step(x, y)[0]?.toNumber() ?? Number.NaN);
  const { user, system } = process.cpuUsage(cpu);
  return { loss, milliseconds: performance.now() - start, cpuMilliseconds: (user + system) / 1000 };
};
const first = timed().loss;
timed();
const runs = Array.from({ length: Number(steps) }, timed);
// Noise only ever slows a run down.
const measured = {
  [`${name} at ${size} px, first loss`]: first,
  [`${name} at ${size} px, training step`]: Math.min(...runs.map(({ milliseconds }) => milliseconds)),
  [`${name} at ${size} px, training step, CPU time`]: Math.min(
    ...runs.map(({ cpuMilliseconds }) => cpuMilliseconds),
  ),
};
console.log(JSON.stringify(measured));
