// Prints the table of a folder of transfer.sh: mean and range over seeds, on test.
//
//   node examples/dist/transfer/table.js OUT

import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { openRun, readSummary } from 'anyclass/runs';

const [out] = process.argv.slice(2);
if (out === undefined) throw new Error('table.js takes the OUT of transfer.sh');

const methods = {
  scratch: 'from scratch',
  probe: 'last layer only',
  full: 'all layers',
  layers: 'all layers, layerRate 0.1',
  features: 'embed, then features',
};

const found = new Map<string, { readonly f1: number; readonly mAP: number }[]>();
for (const name of readdirSync(out)) {
  const [, key] = /^((?:scratch|probe|full|layers|features)-\d+)-\d+$/.exec(name) ?? [];
  if (key === undefined || !existsSync(join(out, name, 'summary.json'))) continue;
  const { test } = readSummary(openRun(join(out, name)).paths);
  const f1 = test?.decided?.metrics.macroF1;
  const mAP = test?.metrics.mAP;
  if (f1 === undefined || f1 === null || mAP === undefined || mAP === null)
    throw new Error(`${name}: its test split was not judged with a decision`);
  found.set(key, [...(found.get(key) ?? []), { f1, mAP }]);
}
const sizes = [...new Set(Array.from(found.keys(), (key) => Number(key.split('-')[1])))].sort(
  (a, b) => a - b,
);

const cell = (key: string) => {
  const runs = found.get(key) ?? [];
  if (runs.length === 0) return '–';
  const mean = (of: 'f1' | 'mAP') => (100 * runs.reduce((sum, run) => sum + run[of], 0)) / runs.length;
  const all = runs.map(({ f1 }) => 100 * f1);
  const range = runs.length > 1 ? ` (${Math.min(...all).toFixed(1)} to ${Math.max(...all).toFixed(1)})` : '';
  return `${mean('f1').toFixed(1)}${range}, mAP ${mean('mAP').toFixed(1)}`;
};
console.log(`| F1 at 5% false alarms | ${sizes.map((size) => `${size} images`).join(' | ')} |`);
console.log(`|---|${sizes.map(() => '---|').join('')}`);
for (const [method, words] of Object.entries(methods)) {
  console.log(`| ${words} | ${sizes.map((size) => cell(`${method}-${size}`)).join(' | ')} |`);
}
