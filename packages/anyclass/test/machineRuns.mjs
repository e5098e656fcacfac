// Two machines that share a folder, one of which dies: `tune`, `compare`, and `recommend` lose nothing, and a
// run resumes with a different number of processes (needs a build, root, and `ip`).
//
//   node packages/anyclass/test/machineRuns.mjs [tune|compare|recommend|restart|resume…]

import { randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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

const folder = mkdtempSync(join(tmpdir(), 'anyclass-machines-'));
const machines = createMachines(folder);
const [first = '', second = ''] = addresses;
/** Seconds after which the other machine's lock no longer counts. */
const lockSeconds = 25;
const environment = { ANYCLASS_LOCK_SECONDS: String(lockSeconds) };
const start = (/** @type {string} */ host, /** @type {string} */ mark, /** @type {string[]} */ ...words) =>
  started(words, { mark, environment, on: { shell: machines.shell, host } });

const table = join(folder, 'features.csv');
const rows = Array.from({ length: 300 }, (_, i) => {
  const [a, b] = [Math.sin(i), Math.cos(3 * i)];
  return [
    `row${i}`,
    ['train', 'validation', 'test'][i % 3],
    Number(a > 0.6),
    Number(b > 0.7),
    a.toFixed(4),
    b.toFixed(4),
  ].join();
});
writeFileSync(table, `Filename,split,up,right,feature_0,feature_1\n${rows.join('\n')}\n`);
const settings = ['epochs=6', 'evaluation.replicates=0', 'device=cpu', 'threads=1', 'batchSize=8'];
const set = settings.flatMap((field) => ['--set', field]);

/** @type {Record<string, () => Promise<string>>} Each case returns what it showed, or throws. */
const cases = {
  /**
   * A worker dies with its machine: the other one takes over its trial, and every trial ends exactly once.
   */
  async tune() {
    const study = join(folder, 'study');
    const [a, b] = [randomUUID(), randomUUID()];
    const words = [
      'tune',
      study,
      'features',
      '--data',
      table,
      ...set,
      '--trials',
      '6',
      '--metric',
      'mAP',
      '--json',
    ];
    void start(first, a, ...words).ended;
    await until(() => events(study).some(({ event }) => event === 'epoch'), 120, 'an epoch of a trial');
    endAll(a);
    const { ended } = start(second, b, 'tune', study, '--json');
    const { code, errors } = await ended;
    endAll(b);
    const ends = events(study)
      .filter(({ event }) => event === 'end')
      .map(({ trial }) => trial);
    const again = events(study).filter(({ event, attempt }) => event === 'start' && attempt > 1).length;
    check(code === 0, errors);
    check(ends.length === 6 && new Set(ends).size === 6, `trials that ended: ${ends}`);
    check(again >= 1, 'no trial was taken over');
    check(
      events(study).every(({ outcome }) => outcome !== 'failed'),
      JSON.stringify(events(study)),
    );
    return `6 trials ended once each, ${again} taken over from the dead machine`;
  },

  /**
   * One machine at a time compares in a folder; a dead one's work is taken over, and its finished runs count.
   */
  async compare() {
    const out = join(folder, 'comparison');
    const words = [
      'compare',
      'features',
      '--data',
      table,
      ...set,
      '--losses',
      'bce,any-bce,focal',
      '--seeds',
      '1',
      '--replicates',
      '0',
      '--out',
      out,
    ];
    return takenOver(words, out, join(out, 'comparison.json'));
  },

  async recommend() {
    const out = join(folder, 'recommendation');
    const words = ['recommend', table, ...set, '--minutes', '1', '--losses', 'bce,any-bce', '--out', out];
    return takenOver(words, join(out, 'pilots'), join(out, 'recommended.jsonc'));
  },

  /** A rank on the other machine dies: all restart immediately, with the same bits in the end. */
  async restart() {
    const reference = join(folder, 'reference');
    const [a, b] = [randomUUID(), randomUUID()];
    await finished(started([...launch(1), ...digits(reference)], { mark: a }));
    const run = join(folder, 'restarted');
    const { ended } = started([...launch(1, '--restarts', '2'), ...digits(run)], { mark: b });
    await until(() => hasCheckpoint(run), 120, 'a checkpoint');
    for (const { pid, rank } of marked(b)) if (rank === 1) process.kill(pid, 'SIGKILL');
    const { code, errors } = await ended;
    check(code === 0, errors);
    check(/Restarting all ranks from .*checkpoints/.test(errors), errors);
    check(weightsOf(run) === weightsOf(reference), 'the weights differ');
    return 'restarted from a checkpoint, the same bits as an undisturbed run';
  },

  /** Four ranks on two machines stop after Ctrl-C; one process on the other machine finishes the run. */
  async resume() {
    const run = join(folder, 'resumed');
    const [a, b] = [randomUUID(), randomUUID()];
    const launched = started([...launch(2), ...digits(run)], { mark: a });
    await until(() => hasCheckpoint(run), 120, 'a checkpoint');
    launched.child.kill('SIGINT');
    const { code, errors } = await launched.ended;
    check(code === 130 && marked(a).length === 0, `exit code ${code}: ${errors}`);
    const again = await finished(start(second, b, 'train', '--resume', run));
    check(/written by 4 processes and resumes on 1 process/.test(again.errors), again.errors);
    return '4 processes on 2 machines, then 1 on the other';
  },
};

const launch = (/** @type {number} */ processes, /** @type {string[]} */ ...more) => [
  ...['launch', '--machines', addresses.join(), '--remote-shell', machines.shell],
  ...['--processes', String(processes), '--timeout', '60', ...more],
];
const digits = (/** @type {string} */ run) => [
  ...['train', 'quick', '--run', run],
  ...[
    ...[
      'network.inputSize=32',
      'data.digits.scenes={"train":96,"validation":16,"test":16}',
      'batchSize=16',
      'epochs=2',
    ],
    ...[
      'evaluation.replicates=0',
      'checkpoints.everyMinutes=0.003',
      'checkpoints.keepFinished=true',
      'device=cpu',
      'threads=1',
    ],
  ].flatMap((field) => ['--set', field]),
];

/**
 * Starts a command on the first machine, which dies once a run has finished. The second machine is refused
 * while the lock counts, and then finishes the work.
 *
 * @param {string[]} words
 * @param {string} runs the folder of the command's runs
 * @param {string} result
 */
async function takenOver(words, runs, result) {
  const [a, b] = [randomUUID(), randomUUID()];
  void start(first, a, ...words).ended;
  await until(() => finishedRuns(runs) > 0, 180, 'a finished run');
  const whileWorking = await start(second, b, ...words).ended;
  check(
    whileWorking.code === 1 && whileWorking.errors.includes(`machine-${first}`),
    `not refused: ${whileWorking.errors}`,
  );
  check(!existsSync(result), 'finished before anything could be killed');
  endAll(a);
  const atOnce = await start(second, b, ...words).ended;
  check(atOnce.code === 1 && /remove .*lock/.test(atOnce.errors), `not refused: ${atOnce.errors}`);
  await new Promise((resolve) => setTimeout(resolve, 1000 * (lockSeconds + 2)));
  const { errors } = await finished(start(second, b, ...words));
  check(existsSync(result), errors);
  return `refused while machine 1 worked, taken over ${lockSeconds} s after its death, finished (${finishedRuns(runs)} runs)`;
}

const chosen = process.argv.slice(2);
let failures = 0;
try {
  for (const [name, show] of Object.entries(cases)) {
    if (chosen.length > 0 && !chosen.includes(name)) continue;
    try {
      console.log(`ok: ${name}: ${await show()}`);
    } catch (error) {
      failures++;
      console.log(`FAILED: ${name}: ${error}`);
    }
  }
} finally {
  machines.remove();
  rmSync(folder, { recursive: true, force: true });
}
process.exitCode = failures > 0 ? 1 : 0;

/** @param {ReturnType<typeof started>} program */
async function finished({ ended }) {
  const end = await ended;
  check(end.code === 0, `exit code ${end.code}: ${end.errors}`);
  return end;
}

/** @param {boolean} isSo @param {string} otherwise */
function check(isSo, otherwise) {
  if (!isSo) throw new Error(otherwise.slice(-2000));
}

/** @param {string} study @returns {{ event: string, trial: number, attempt: number, outcome?: string }[]} */
function events(study) {
  const journal = join(study, 'journal.jsonl');
  if (!existsSync(journal)) return [];
  const lines = readFileSync(journal, 'utf8').split('\n');
  return lines.flatMap((line) => (line.trimEnd().endsWith('}') ? [JSON.parse(line)] : []));
}

/** @param {string} out */
function finishedRuns(out) {
  if (!existsSync(out)) return 0;
  return readdirSync(out).filter((name) => existsSync(join(out, name, 'summary.json'))).length;
}
