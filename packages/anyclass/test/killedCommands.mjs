// Commands that are killed between their files, run out of disk, or see another clock, and are run again: the second
// run must give the results of an undisturbed one.
//
//   node packages/anyclass/test/killedCommands.mjs 20 [SEED] [COMMAND…]        (faults per command; needs a build: npm run setup)
//   node packages/anyclass/test/killedCommands.mjs every [FIRST-LAST] [COMMAND…]   (a kill at every moment between two files, or at those, and no other fault)
//
// A full disk is a tmpfs of the wrong size, which needs permission to mount.

import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { fakeHub } from './fakeHub.mjs';
import { random } from './hostile/grammar.mjs';
import { program } from './program.mjs';
import { tiny, writeInputs, writingCommands } from './writingCommands.mjs';

const faults = pathToFileURL(fileURLToPath(new URL('faults.mjs', import.meta.url))).href;

const isEvery = process.argv[2] === 'every';
const [wanted = 20, seed = 1] = isEvery ? [] : process.argv.slice(2, 4).map(Number);
const [first = 1, last = Number.POSITIVE_INFINITY] = isEvery
  ? ((process.argv[3] ?? '').match(/\d+/g)?.map(Number) ?? [])
  : [];
const chosen = process.argv.slice(4);
const isWanted = (/** @type {string} */ name) => chosen.length === 0 || chosen.includes(name);
const { below, pick } = random(seed);
const folder = mkdtempSync(join(tmpdir(), 'anyclass-faults-'));
const hub = await fakeHub({ 'model.safetensors': Buffer.alloc(3e6, 7) });
let failed = 0;
try {
  const run = join(folder, 'run');
  writeInputs(folder);
  mustEnd(await start(['train', 'quick', '--run', run, ...tiny]));
  if (isWanted('soup'))
    mustEnd(await start(['train', 'quick', '--run', join(folder, 'other'), ...tiny, '--set', 'seed=2']));
  console.log(
    '| command | moments between files | kills | full disks | other clocks | failed |\n|---|---|---|---|---|---|',
  );
  for (const [name, command] of Object.entries(writingCommands(run, hub.state.endpoint))) {
    if (!isWanted(name)) continue;
    const { moments, tried, problems } = await attack(name, command);
    failed += problems.length;
    console.log(
      `| ${name} | ${moments} | ${tried.kill} | ${tried.disk} | ${tried.clock} | ${problems.length} |`,
    );
    for (const problem of problems) console.log(`FAILED  ${problem}`);
  }
} finally {
  hub.close();
  rmSync(folder, { recursive: true, force: true });
}
process.exitCode = failed > 0 ? 1 : 0;

/** @param {string} name @param {import('./writingCommands.mjs').Command} command */
async function attack(name, { words, environment = {} }) {
  const place = (/** @type {string} */ out) => ({ ...environment, HF_HOME: join(out, 'home') });
  const reference = join(folder, 'reference');
  const counts = join(folder, 'counts');
  rmSync(counts, { force: true });
  mkdirSync(reference);
  mustEnd(await start(words(reference), { ...place(reference), FAULT_COUNT: counts }));
  const expected = resultsIn(reference);
  const bytes = sizeOf(reference);
  const moments = Math.max(...readFileSync(counts, 'utf8').trim().split('\n').map(Number));
  rmSync(reference, { recursive: true });
  const tried = { kill: 0, disk: 0, clock: 0 };
  /** @type {string[]} */
  const problems = [];
  const out = join(folder, 'out');
  const done = join(folder, 'killed');
  const count = isEvery ? Math.min(moments, last) - first + 1 : wanted;
  const kinds = /** @type {const} */ (['kill', 'disk', 'kill', 'clock']);
  for (let i = 0; i < count; i++) {
    const kind = kinds[isEvery ? 0 : i % 4] ?? 'kill';
    mkdirSync(out);
    const isMounted = kind === 'disk' && mount(out, bytes + (8 << 20));
    if (kind === 'disk' && !isMounted) {
      rmSync(out, { recursive: true });
      continue;
    }
    tried[kind] += 1;
    const at = isEvery ? first + i : 1 + below(moments);
    const room = below(bytes);
    if (isMounted) mount(out, room, 'remount,');
    const clock = (below(2) === 0 ? -1 : 1) * pick([3600, 86_400 * 40, 86_400 * 4000]);
    const fault = {
      kill: { FAULT_KILL: String(at), FAULT_DONE: done },
      disk: {},
      clock: { FAULT_CLOCK: String(clock), FAULT_KILL: String(at), FAULT_DONE: done },
    }[kind];
    const what = {
      kill: `killed at moment ${at}`,
      disk: `with room for ${room} bytes`,
      clock: `killed at moment ${at}, by a clock ${clock} s ahead`,
    }[kind];
    rmSync(done, { force: true });
    const ended = await start(words(out), { ...place(out), ...fault });
    if (kind === 'disk' && ended.code !== 0 && !/disk is full|make room/.test(ended.output))
      problems.push(`${name} ${what}: ${ended.code} ${ended.output.slice(-300)}`);
    if (/^\s+at .+:\d+:\d+\)?$/m.test(ended.output))
      problems.push(`${name} ${what}: a stack trace: ${ended.output.slice(-300)}`);
    if (isMounted) mount(out, bytes + (64 << 20), 'remount,');
    const again = await start(words(out), place(out));
    // What was complete before the fault is not written again.
    const isComplete = /exists|not empty|finished|already/.test(again.output) && name !== 'train';
    if (again.code !== 0 && !isComplete && !(await resumes(name, out)))
      problems.push(`${name} ${what}, then again: ${again.code} ${again.output.slice(-400)}`);
    else {
      const different = differences(resultsIn(out), expected);
      if (different.length > 0) problems.push(`${name} ${what}: ${different.join(', ')}`);
    }
    if (isMounted) spawnSync('umount', ['-l', out]);
    rmSync(out, { recursive: true, force: true });
  }
  return { moments, tried, problems };
}

/** @param {readonly string[]} found @param {readonly string[]} expected */
function differences(found, expected) {
  return [
    ...found.filter((file) => !expected.includes(file)).map((file) => `unexpected ${file}`),
    ...expected.filter((file) => !found.includes(file)).map((file) => `missing ${file}`),
  ];
}

/** A training that was begun is resumed, not started again. @param {string} name @param {string} out */
async function resumes(name, out) {
  return name === 'train' && (await start(['train', '--resume', join(out, 'run')])).code === 0;
}

/** @param {string} folder @param {number} bytes */
function mount(folder, bytes, how = '') {
  const pages = Math.max(1, Math.ceil(bytes / 4096));
  const words = ['-t', 'tmpfs', '-o', `${how}size=${pages * 4096}`, 'tmpfs', folder];
  return spawnSync('mount', words).status === 0;
}

/** @param {readonly string[]} words @param {Readonly<Record<string, string>>} [environment] */
function start(words, environment = {}) {
  const child = spawn(process.execPath, [program, ...words], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, NODE_OPTIONS: `--import ${faults}`, ...environment },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (part) => {
      output += part;
    });
  return new Promise((/** @type {(ended: { code: number | string, output: string }) => void} */ done) => {
    child.once('close', (code, signal) => done({ code: code ?? String(signal), output }));
  });
}

/** @param {{ code: number | string, output: string }} ended */
function mustEnd({ code, output }) {
  if (code !== 0) throw new Error(`an undisturbed command ended with ${code}: ${output}`);
}

/**
 * What a command wrote: names of files, and the hash of those without times in them.
 *
 * @param {string} folder
 * @returns {string[]}
 */
function resultsIn(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !isPassing(path))
    .sort()
    .map((path) => {
      const isSame = /\.(onnx|csv|bin|parquet)$|scores|blobs/.test(path);
      const hash = isSame ? createHash('sha256').update(readFileSync(path)).digest('hex').slice(0, 8) : '';
      return `${path.slice(folder.length)} ${hash}`;
    });
}

/** Whether a file may differ or be absent: logs, locks, drafts, checkpoints of a run that was resumed. @param {string} path */
function isPassing(path) {
  return /events\.jsonl|lock(\.[\w-]+)?$|\/workers\/|\.\d+\.part|\.partial-|\.incomplete|checkpoints|logs\//.test(
    path,
  );
}

/** @param {string} folder */
function sizeOf(folder) {
  let bytes = 0;
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true }))
    if (entry.isFile()) bytes += readFileSync(join(entry.parentPath, entry.name)).length;
  return bytes;
}
