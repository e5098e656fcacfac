// Reads the runs of cost.sh, measures how fast each network predicts on two CPU cores, and writes table.md, training.svg and prediction.svg.
//
//   node examples/dist/cost/charts.js OUT

import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chartFile, type Line, lineChart, shortNumber } from '@anyclass/kit';
import { compareRuns, readRuns } from 'anyclass/experiments';
import { loadModel, openRun, readEpochs } from 'anyclass/runs';

const [out] = process.argv.slice(2);
if (out === undefined) throw new Error('charts.js takes the OUT of cost.sh');
const anyclass = fileURLToPath(new URL('../../../packages/anyclass/bin/anyclass.js', import.meta.url));

interface Run {
  readonly network: string;
  readonly epochs: number;
  readonly inputSize: number;
  /** Of training, without validation. */
  readonly seconds: number;
  /** Per image at prediction, on two CPU cores. */
  readonly milliseconds: number;
  /** On validation, each image decided by a decision that was fitted without it. */
  readonly f1: number;
  readonly mAP: number;
}

const speeds = new Map<string, number>();
const runs: Run[] = [];
for (const name of readdirSync(out)) {
  const [, network = '', epochs] = /^(.+)-(\d+)$/.exec(name) ?? [];
  if (epochs === undefined || !existsSync(join(out, name, 'summary.json'))) continue;
  const { groups } = await compareRuns(readRuns([join(out, name)]), { replicates: 0 });
  const { macroF1, mAP } = groups[0]?.decided?.validation ?? {};
  if (!macroF1 || !mAP) throw new Error(`${name}: validation is too small to judge a decision`);
  const model = loadModel(join(out, name));
  const { inputSize } = model.network.options;
  model.network.dispose();
  const { paths } = openRun(join(out, name));
  runs.push({
    network,
    epochs: Number(epochs),
    inputSize,
    seconds: readEpochs(paths.metrics).reduce((sum, epoch) => sum + epoch.seconds, 0),
    milliseconds: predictionTime(network, inputSize),
    f1: 100 * macroF1.mean,
    mAP: 100 * mAP.mean,
  });
}
runs.sort((a, b) => a.seconds - b.seconds);

const rows = runs.map(({ network, epochs, inputSize, seconds, milliseconds, f1, mAP }) =>
  [
    network,
    inputSize,
    epochs,
    seconds.toFixed(0),
    milliseconds.toFixed(1),
    f1.toFixed(1),
    mAP.toFixed(1),
  ].join(' | '),
);
const table = `| network | input, px | epochs | training, s | prediction on two cores, ms an image | F1 at 5% false alarms | mAP |
|---|---|---|---|---|---|---|
${rows.map((row) => `| ${row} |\n`).join('')}`;
console.log(table);
writeFileSync(join(out, 'table.md'), table);
writeFileSync(join(out, 'training.svg'), chartFile(chart('seconds', 'seconds of training'), 720));
writeFileSync(
  join(out, 'prediction.svg'),
  chartFile(chart('milliseconds', 'milliseconds an image, two CPU cores'), 720),
);

/** F1 against a cost on a logarithmic axis; a network's runs are joined. */
function chart(cost: 'seconds' | 'milliseconds', x: string): string {
  const lines = [...new Set(runs.map(({ network }) => network))].map((network): Line => {
    const own = runs.filter((run) => run.network === network).sort((a, b) => a.epochs - b.epochs);
    const points = cost === 'seconds' ? own : own.slice(-1);
    return { name: network, points: points.map((run) => ({ x: Math.log10(run[cost]), y: run.f1 })) };
  });
  const logs = lines.flatMap(({ points }) => points.map((point) => point.x));
  const [low, high] = [Math.min(...logs) - 0.1, Math.max(...logs) + 0.1];
  const ticks = [-1, 0, 1, 2, 3, 4].flatMap((power) => [1, 2, 5].map((digit) => digit * 10 ** power));
  return lineChart(lines, {
    label: `F1 at 5% false alarms against ${x}`,
    x,
    y: 'F1 at 5% false alarms',
    xRange: [low, high],
    xTicks: ticks
      .map((value) => ({ at: Math.log10(value), text: shortNumber(value) }))
      .filter(({ at }) => at >= low && at <= high),
    height: 300,
  });
}

function predictionTime(network: string, inputSize: number): number {
  const key = `${network} ${inputSize}`;
  const known = speeds.get(key);
  if (known !== undefined) return known;
  const text = execFileSync(
    process.execPath,
    [
      anyclass,
      'networks',
      '--network',
      network,
      '--measure',
      '--device',
      'cpu',
      '--input-size',
      String(inputSize),
      '--json',
    ],
    { encoding: 'utf8', env: { ...process.env, OMP_NUM_THREADS: '2' } },
  );
  const [entry]: { rates: { predicted: number } }[] = JSON.parse(text);
  if (!entry) throw new Error(`anyclass networks shows nothing about ${network}`);
  const milliseconds = 1000 / entry.rates.predicted;
  speeds.set(key, milliseconds);
  return milliseconds;
}
