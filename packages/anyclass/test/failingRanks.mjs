// What happens to two machines that train together when something fails on one of them (needs a build, root,
// and `ip`). All processes must exit in time, with one message that names a rank and what it did. The run
// must resume and finish with the weights of an undisturbed run, bit for bit.
//
//   node packages/anyclass/test/failingRanks.mjs [CASE…]

import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { weightsOf } from './killing.mjs';
import {
  addresses,
  createMachines,
  endAll,
  exitIfImpossible,
  hasCheckpoint,
  marked,
  started,
  until,
} from './machines.mjs';

exitIfImpossible();

const timeout = 20;
/** The time that ranks and launchers may take beyond the timeout, on a busy machine. */
const reserve = 60;
const folder = mkdtempSync(join(tmpdir(), 'anyclass-failing-'));
const machines = createMachines(folder);
const launch = [
  'launch',
  '--machines',
  addresses.join(),
  '--remote-shell',
  machines.shell,
  '--processes',
  '1',
  '--timeout',
  String(timeout),
];
const fields = [
  'network.inputSize=32',
  'data.digits.scenes={"train":96,"validation":16,"test":16}',
  'batchSize=16',
  'epochs=2',
  'averageDecay=0.9',
  'evaluation.replicates=0',
  'checkpoints.everyMinutes=0.003',
  'checkpoints.keepFinished=true',
  'device=cpu',
  'threads=1',
];
const train = (/** @type {string} */ run) => [
  'train',
  'quick',
  '--run',
  run,
  ...fields.flatMap((field) => ['--set', field]),
];

/**
 * @typedef {object} Case
 * @property {string} name
 * @property {(mark: string, run: string) => void} [strike] causes the failure, after the first checkpoint
 * @property {() => void} [mend]
 * @property {RegExp} says what the launcher's message must match
 * @property {number} [within] seconds, in addition to the reserve
 */

/** @param {NodeJS.Signals} name */
const send = (/** @type {number} */ rank, name) => (/** @type {string} */ mark) => {
  for (const found of marked(mark)) if (found.rank === rank) process.kill(found.pid, name);
};

/** @type {Case[]} */
const cases = [
  {
    name: 'SIGKILL of rank 0',
    strike: send(0, 'SIGKILL'),
    says: /rank 0 \(process \d+\) was killed by SIGKILL/,
    within: 0,
  },
  {
    name: 'SIGKILL of rank 1',
    strike: send(1, 'SIGKILL'),
    says: /rank 1 \(process \d+\) was killed by SIGKILL/,
    within: 0,
  },
  {
    name: 'rank 0 frozen (SIGSTOP)',
    strike: send(0, 'SIGSTOP'),
    says: /rank 1 of 2: .+ failed: no answer in time/,
  },
  {
    name: 'rank 1 frozen (SIGSTOP)',
    strike: send(1, 'SIGSTOP'),
    says: /rank 0 of 2: .+ failed: no answer in time/,
  },
  {
    name: 'the network lost',
    strike: () => machines.cable(false),
    mend: () => machines.cable(true),
    says: /rank [01] of 2: .+ failed: no answer in time/,
  },
  {
    name: "rank 0's disk full",
    strike: (_, run) => fill(run),
    mend: () => rmSync(join(folder, 'small', 'filler'), { force: true }),
    says: /disk is full/,
    within: 0,
  },
];

/** Fills the disk of a run. */
function fill(/** @type {string} */ run) {
  try {
    writeFileSync(join(run, '..', 'filler'), Buffer.alloc(2 ** 30));
  } catch {
    // full now
  }
}

const chosen = process.argv.slice(2);
/** @type {string[][]} */
const table = [];
let failures = 0;
try {
  const mark = randomUUID();
  const reference = join(folder, 'reference');
  const first = await started([...launch, ...train(reference)], { mark }).ended;
  if (first.code !== 0) throw new Error(first.errors);
  const expected = weightsOf(reference);
  console.log('undisturbed: two machines, one process each');
  mkdirSync(join(folder, 'small'));
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=400M', 'none', join(folder, 'small')]);
  for (const each of cases) {
    if (chosen.length === 0 || chosen.some((word) => each.name.includes(word))) await attempt(each, expected);
  }
  if (chosen.length === 0 || chosen.includes('cache')) await fullCache();
} finally {
  try {
    execFileSync('umount', [join(folder, 'small')], { stdio: 'ignore' });
  } catch {
    // was not mounted
  }
  machines.remove();
  rmSync(folder, { recursive: true, force: true });
}
console.log(
  '\n| what failed | all stopped after | message | resumed with the same bits |\n|---|---|---|---|',
);
for (const row of table) console.log(`| ${row.join(' | ')} |`);
process.exitCode = failures > 0 ? 1 : 0;

/**
 * @param {Case} given
 * @param {string} expected
 */
async function attempt({ name, strike, mend, says, within = timeout }, expected) {
  const mark = randomUUID();
  const run = join(folder, 'small', randomUUID());
  try {
    const { ended } = started([...launch, ...train(run)], { mark });
    await until(() => hasCheckpoint(run), 120, 'a checkpoint');
    if (existsSync(join(run, 'summary.json')))
      throw new Error(`${name}: the run finished before anything could fail`);
    const struck = performance.now();
    strike?.(mark, run);
    const limit = within + reserve;
    const end = await Promise.race([
      ended,
      until(() => false, limit, 'the launcher did not exit').catch(() => undefined),
    ]);
    if (!end) return note(name, `not within ${limit} s`, '–', '–', false);
    const seconds = (performance.now() - struck) / 1000;
    await until(() => marked(mark).length === 0, reserve, 'processes are left').catch(() => {});
    const left = marked(mark).length;
    endAll(mark);
    mend?.();
    const message = lastOf(end.errors);
    const resumed = await started([...launch, 'train', '--resume', run], { mark }).ended;
    const isSame = resumed.code === 0 && weightsOf(run) === expected;
    const isWell = end.code !== 0 && says.test(end.errors) && left === 0 && isSame;
    if (!isWell) console.log(`${end.errors.slice(-1500)}\n--- resumed:\n${resumed.errors.slice(-1500)}`);
    note(
      name,
      `${seconds.toFixed(1)} s${left > 0 ? `, ${left} processes left` : ''}`,
      message,
      isSame ? 'yes' : 'NO',
      isWell,
    );
  } finally {
    endAll(mark);
    mend?.();
    rmSync(run, { recursive: true, force: true });
  }
}

/** A machine whose own cache is on a full disk stops the other machine too; nothing of its cache is used. */
async function fullCache() {
  const mark = randomUUID();
  const photos = join(folder, 'photos');
  const cache = join(folder, 'cache');
  for (const each of [photos, cache]) mkdirSync(each);
  const lines = ['Filename,crack'];
  for (let i = 0; i < 40; i++) {
    await sharp({ create: { width: 64, height: 64, channels: 3, background: { r: i, g: 0, b: 0 } } }).toFile(
      join(photos, `${i}.png`),
    );
    lines.push(`${i}.png,${i % 2}`);
  }
  writeFileSync(join(photos, 'labels.csv'), `${lines.join('\n')}\n`);
  const words = ['prepare', join(photos, 'labels.csv'), '--size', '224', '--cache', cache];
  const environment = { DISK_HOST: addresses[1], DISK: cache };
  const begun = performance.now();
  const end = await started([...launch, ...words], { mark, environment }).ended;
  const seconds = (performance.now() - begun) / 1000;
  const left = marked(mark).length;
  endAll(mark);
  const again = await started([...launch, ...words], { mark }).ended;
  const isWhole =
    again.code === 0 && readdirSync(cache).every((name) => existsSync(join(cache, name, 'failed.jsonl')));
  const isWell = end.code !== 0 && /disk is full/.test(end.errors) && left === 0 && isWhole;
  if (!isWell) console.log(`${end.errors}\n--- again:\n${again.errors}`);
  note(
    "rank 1's disk full, in prepare",
    `${seconds.toFixed(1)} s after the start`,
    lastOf(end.errors),
    isWhole ? 'yes' : 'NO',
    isWell,
  );
}

/** @param {string} errors */
function lastOf(errors) {
  const lines = errors.trim().split('\n');
  return (lines.findLast((line) => line.startsWith('anyclass:')) ?? lines.at(-1) ?? '').slice(0, 200);
}

/** @param {string} name @param {string} seconds @param {string} message @param {string} same @param {boolean} isWell */
function note(name, seconds, message, same, isWell) {
  if (!isWell) failures++;
  table.push([name, seconds, message.replaceAll('|', '/'), same]);
  console.log(`${isWell ? 'ok' : 'FAILED'}: ${name}; ${seconds}; ${message}; resumed: ${same}`);
}
