// `npm run bench:growth`: how the cost of each part grows with rows (17 classes) and with classes, in processor time and memory, each in
// a process of its own, with the exponent p of n^p between the three largest sizes; n log n has about 1.08. PYTHON names a Python with
// pandas, scikit-learn and torch, whose times stand beside ours.
//
//     node bench/dist/growth/run.js [MOST ROWS] [MOST CLASSES]        default 10 million and 10 thousand; takes 20 minutes and 6 GB of disk

import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Cost, commandCost } from '../measure/commandCost.js';
import { type Tables, writeTables } from './tables.js';

const [mostRows = 10_000_000, mostClasses = 10_000] = process.argv.slice(2).map(Number);
const work = fileURLToPath(new URL('work.js', import.meta.url));
const peer = fileURLToPath(new URL('../../growth/peer.py', import.meta.url));
const program = fileURLToPath(new URL('../../../packages/anyclass/bin/anyclass.js', import.meta.url));
const python = process.env['PYTHON'] ?? 'python3';

type Measure = (size: number, tables: Tables) => Cost;
interface Part {
  readonly name: string;
  readonly ours: Measure;
  readonly peer?: { readonly name: string; readonly cost: Measure };
}

const hasPeers = spawnSync(python, ['-c', 'import pandas, sklearn, torch']).status === 0;
if (!hasPeers) console.log(`No peers: ${python} lacks pandas, scikit-learn or torch; PYTHON names another.`);
const idle = commandCost([process.execPath, program, '--version']).seconds;
const command = (...words: string[]): Cost => {
  const { seconds, megabytes } = commandCost([process.execPath, program, ...words]);
  return { seconds: seconds - idle, megabytes };
};
const piece = (kind: string, size: number, file = ''): Cost =>
  printed([process.execPath, work, kind, String(size), file]);
const peerPiece = (kind: string, size: number, ...files: string[]): Cost =>
  printed([python, peer, kind, String(size), ...files]);

const evaluate = ({ labels, scores, fitLabels, fitScores }: Tables, ...words: string[]) =>
  command(
    ...['evaluate', '--scores', scores, '--labels', labels, '--fit-scores', fitScores],
    ...['--fit-labels', fitLabels, '--false-alarms', '5%', '--json', ...words],
  );

const byRows: readonly Part[] = [
  {
    name: 'index a table and draw splits',
    ours: (rows, { all }) => piece('index', rows, all),
    peer: { name: 'pandas.read_csv', cost: (rows, { all }) => peerPiece('index', rows, all) },
  },
  {
    name: '`inspect --no-images`',
    ours: (_, { all }) => command('inspect', all, '--no-images', '--json'),
  },
  {
    name: '`evaluate --scores`, decision, intervals',
    ours: (_, tables) => evaluate(tables),
    peer: {
      name: 'pandas and scikit-learn: mAP and F1, nothing fitted, no intervals',
      cost: (rows, { labels, scores, fitLabels, fitScores }) =>
        peerPiece('evaluate', rows, labels, scores, fitLabels, fitScores),
    },
  },
  { name: 'one replicate of `compare`, two models', ours: (rows) => piece('comparison', rows) },
];

const byClasses: readonly Part[] = [
  { name: 'loss and gradient in core, 256 rows', ours: (classes) => piece('loss', classes) },
  {
    name: 'fused loss and gradient, 256 rows',
    ours: (classes) => piece('fused loss', classes),
    peer: { name: 'PyTorch', cost: (classes) => peerPiece('fused loss', classes) },
  },
  {
    name: 'linear head, 16 images, forward and backward',
    ours: (classes) => piece('linear head', classes),
    peer: { name: 'PyTorch', cost: (classes) => peerPiece('linear head', classes) },
  },
  { name: 'ML-Decoder, the same', ours: (classes) => piece('ML-Decoder head', classes) },
  {
    name: 'metrics, 4,096 rows',
    ours: (classes) => piece('metrics', classes),
    peer: { name: 'scikit-learn: mAP and F1', cost: (classes) => peerPiece('metrics', classes) },
  },
  { name: 'decision, 4,096 rows', ours: (classes) => piece('decision', classes) },
  {
    name: '`evaluate --scores --html`, 2 x 1,000 rows',
    ours: (_, tables) => evaluate(tables, '--html', join(tables.labels, '..', 'page.html'), '--force'),
  },
];

const folder = mkdtempSync(join(tmpdir(), 'anyclass-growth-'));
try {
  table('rows', byRows, sizes(10_000, mostRows), (rows) => writeTables(folder, rows, 17));
  table('classes', byClasses, sizes(10, mostClasses), (classes) => writeTables(folder, 2000, classes));
} finally {
  rmSync(folder, { recursive: true });
}

function table(
  unit: string,
  parts: readonly Part[],
  counts: readonly number[],
  write: (count: number) => Tables,
): void {
  const cells = parts.map((): { ours: Cost[]; peer: Cost[] } => ({ ours: [], peer: [] }));
  for (const count of counts) {
    const tables = write(count);
    parts.forEach(({ name, ours, peer }, k) => {
      cells[k]!.ours.push(ours(count, tables));
      if (peer && hasPeers) cells[k]!.peer.push(peer.cost(count, tables));
      console.error(
        `${count.toLocaleString('en-US')} ${unit}: ${name}: ${seconds(cells[k]!.ours.at(-1)!)} s`,
      );
    });
  }
  const heads = counts.map((count) => count.toLocaleString('en-US'));
  console.log(
    `\n| by ${unit}: processor time, s | ${heads.join(' | ')} | exponent | memory at the largest |`,
  );
  console.log(`|---|${'---|'.repeat(counts.length + 2)}`);
  parts.forEach(({ name, peer }, k) => {
    row(name, cells[k]!.ours, counts);
    if (peer && hasPeers) row(`peer: ${peer.name}`, cells[k]!.peer, counts);
  });
}

function row(name: string, costs: readonly Cost[], counts: readonly number[]): void {
  const memory = `${Math.round(costs.at(-1)!.megabytes).toLocaleString('en-US')} MB`;
  const exponent = slope(
    counts.map(Math.log),
    costs.map((cost) => Math.log(cost.seconds)),
  );
  console.log(`| ${name} | ${costs.map(seconds).join(' | ')} | ${exponent.toFixed(2)} | ${memory} |`);
}

/** The slope of the line through the last three points, by least squares: small sizes cost a constant. */
function slope(x: readonly number[], y: readonly number[]): number {
  const [xs, ys] = [x.slice(-3), y.slice(-3)];
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [mx, my] = [mean(xs), mean(ys)];
  const covariance = xs.reduce((sum, value, i) => sum + (value - mx) * (ys[i]! - my), 0);
  return covariance / xs.reduce((sum, value) => sum + (value - mx) ** 2, 0);
}

function sizes(first: number, last: number): number[] {
  const all: number[] = [];
  for (let size = first; size <= last; size *= 10) all.push(size);
  return all;
}

function printed(words: readonly string[]): Cost {
  const { output, megabytes } = commandCost(words);
  const { seconds } = JSON.parse(output.trimEnd().split('\n').at(-1) ?? '{}') as { seconds: number };
  return { seconds, megabytes };
}

function seconds({ seconds }: Cost): string {
  return seconds >= 10 ? seconds.toFixed(0) : seconds.toPrecision(2);
}
