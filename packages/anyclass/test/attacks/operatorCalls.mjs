// Calls the engine's operators with arguments that rarely fit, reproducible by seed. Logs each call before
// making it, so that one that crashes the process is known.
//
//   node operatorCalls.mjs SEED FIRST COUNT LOG

import { closeSync, ftruncateSync, openSync, writeSync } from 'node:fs';
import { randomStream } from '../../dist/data/random/philox.js';

const [seed, first, count] = process.argv.slice(2, 5).map(Number);
const log = openSync(process.argv[5], 'w');
const torch = await import('@anyclass/torch');
const { Tensor, tidy, ones, zeros } = torch;
const generated = await import(
  new URL('./tensor/operators.generated.js', import.meta.resolve('@anyclass/torch')).href
);
const functions = Object.keys(generated).filter((name) => typeof torch[name] === 'function');
const methods = Object.getOwnPropertyNames(Tensor.prototype).filter(
  (name) =>
    !['constructor', 'dispose', 'print', 'backward'].includes(name) &&
    typeof Object.getOwnPropertyDescriptor(Tensor.prototype, name)?.value === 'function',
);

const dtypes = ['float32', 'float64', 'int64', 'uint8', 'bool'];
const tensorOf = (draw) => {
  const shape = Array.from({ length: draw.below(5) }, () => draw.below(5));
  return (draw.below(2) === 0 ? ones : zeros)(shape, { dtype: dtypes[draw.below(dtypes.length)] });
};
const argumentOf = (draw) =>
  [
    () => tensorOf(draw),
    () => draw.below(7) - 3,
    () => [draw.below(4), draw.below(4) - 1],
    () => undefined,
    () => null,
    () => Number.NaN,
    () => 2 ** 40,
    () => 'x',
    () => [],
    () => ({}),
    () => [tensorOf(draw)],
    () => true,
  ][draw.below(12)]();

for (let i = first; i < first + count; i++) {
  const draw = randomStream('sample', seed, 99, i);
  const at = draw.below(methods.length + functions.length);
  const name = methods[at] ?? functions[at - methods.length];
  ftruncateSync(log, 0);
  writeSync(log, `case ${i}: ${name}`, 0);
  try {
    tidy(() => {
      const given = Array.from({ length: draw.below(5) }, () => argumentOf(draw));
      const own = tensorOf(draw);
      if (at < methods.length) own[name](...given);
      else torch[name](own, ...given);
    });
  } catch (error) {
    if (!(error instanceof Error)) throw new Error(`${name} threw ${String(error)}`);
  }
  if (i % 100 === 0) await new Promise(setImmediate);
}
closeSync(log);
