// `anyclass monitor` on a log of a million lines with about 20,000 labels, beside a plain pass over the same file with pandas, which
// only counts the alarms and the false ones among them.
//
//     node bench/dist/field/monitorLog.js [LINES]          PYTHON names the Python that has pandas

import { closeSync, mkdtempSync, openSync, rmSync, statSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { NumpyRandom } from '@anyclass/core';
import { commandCost } from '../measure/commandCost.js';

const lines = Number(process.argv[2] ?? 1_000_000);
const folder = mkdtempSync(join(tmpdir(), 'anyclass-bench-'));
const [log, labels] = [join(folder, 'log.jsonl'), join(folder, 'labels.csv')];
const program = fileURLToPath(new URL('../../../packages/anyclass/bin/anyclass.js', import.meta.url));
const peer = fileURLToPath(new URL('../../field/monitor_peer.py', import.meta.url));

try {
  const labeled = writeLog();
  const megabytes = Math.round(statSync(log).size / 1e6);
  console.log(
    `${lines.toLocaleString('en-US')} lines, ${megabytes} MB, ${labeled.toLocaleString('en-US')} labels\n`,
  );
  console.log('| | CPU time | largest memory |\n|---|---|---|');
  const ours = measured('anyclass monitor', [process.execPath, program, 'monitor', log, labels, '--json']);
  const theirs = measured('a pass with pandas', [process.env['PYTHON'] ?? 'python3', peer, log, labels]);
  console.log(`\n${(ours / theirs).toFixed(2)} of the CPU time of pandas`);
} finally {
  rmSync(folder, { recursive: true });
}

/** Lines as `serve` writes them; 1.2% of the negatives alarm, and 1% of all images are drawn. */
function writeLog(): number {
  const random = new NumpyRandom(1);
  const file = openSync(log, 'w');
  const table = ['id,negative'];
  let text = '';
  for (let i = 0; i < lines; i++) {
    const isNegative = random.random() < 0.8;
    const isAlarm = random.random() < (isNegative ? 0.012 : 0.01);
    const drawn = random.random() < 0.01;
    const id = `${i.toString(16).padStart(8, '0')}-5c1e-4c5e-9d0b-${random
      .integer(2 ** 31)
      .toString(16)
      .padStart(12, '0')}`;
    if (isAlarm || drawn) table.push(`${id},${Number(isNegative)}`);
    const line = {
      time: '2026-11-17T05:00:00.000Z',
      id,
      requestId: id.slice(0, 8),
      model: 'pipes',
      version: '0123456789ab',
      decision: { id: 'abcdef123456', falseAlarms: 0.05 },
      name: `image-${i}.jpg`,
      sha256: id.replaceAll('-', '').repeat(2),
      labels: isAlarm ? ['crack'] : [],
      outcome: isAlarm ? 'alarm' : 'clear',
      isNegative: !isAlarm,
      s: random.random(),
      presence: 0.1,
      probabilities: { crack: random.random(), roots: 0.2, dent: 0.05 },
      audit: { q: 0.01, drawn },
    };
    text += `${JSON.stringify(line)}\n`;
    if (text.length < 1 << 22) continue;
    writeSync(file, text);
    text = '';
  }
  writeSync(file, text);
  closeSync(file);
  writeFileSync(labels, `${table.join('\n')}\n`);
  return table.length - 1;
}

/** Runs a command and prints its processor time and largest resident memory. */
function measured(name: string, words: readonly string[]): number {
  const { seconds, megabytes } = commandCost(words);
  console.log(`| ${name} | ${seconds.toFixed(1)} s | ${Math.round(megabytes)} MiB |`);
  return seconds;
}
