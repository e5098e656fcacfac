// Concurrent setups, with real builds in an empty home: two start at once, the one that builds is killed
// while compiling, the other takes over what was compiled, and a third starts during that build. All
// survivors must end with working libraries, built once.
//
//   npm run test:setups        (a full build of the native libraries: minutes)

import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { program } from './program.mjs';

const home = mkdtempSync(join(tmpdir(), 'anyclass-setups-'));
const env = { ...process.env, ANYCLASS_HOME: home };
/** @type {string[]} */
const problems = [];

try {
  const both = [startSetup(), startSetup()];
  await until(() => objects().length >= 3);
  const [builder, waiter] = both[0]?.said().includes('building') ? both : both.reverse();
  if (!builder || !waiter) throw new Error('expected two setups');
  expect(waiter.said().includes('waiting for another setup'), 'the second setup does not wait for the first');
  expect(!both.every(({ said }) => said().includes('building')), 'both of them build');
  process.kill(-Number(builder.child.pid), 'SIGKILL');
  await builder.ended;
  const compiled = new Map(objects().map((name) => [name, modified(name)]));
  expect(builds().length === 0, `the killed setup left a build: ${builds()}`);
  console.log(`killed in mid-compile with ${compiled.size} objects`);

  await until(() => objects().length > compiled.size);
  const third = startSetup();
  for (const [name, setup] of Object.entries({ waiter, third })) {
    const code = await setup.ended;
    expect(code === 0, `the ${name} exits with ${code}: ${setup.said()}`);
  }
  for (const [name, time] of compiled) expect(modified(name) === time, `${name} is compiled again`);
  expect(third.said().includes('waiting for another setup'), 'the third setup does not wait');
  expect(!third.said().includes('building'), 'the third setup builds something');
  expect(builds().length === 3, `not exactly one build of each library: ${builds()}`);
  console.log(`resumed: ${objects().length} objects, ${builds().length} libraries`);
  const doctor = spawnSync(process.execPath, [program, 'doctor'], { env, encoding: 'utf8' });
  expect(doctor.status === 0, `doctor: ${doctor.stdout}${doctor.stderr}`);
} finally {
  rmSync(home, { recursive: true, force: true });
}
for (const problem of problems) console.error(`FAILED: ${problem}`);
process.exitCode = problems.length > 0 ? 1 : 0;

function startSetup() {
  // In its own process group, so that its compilers die with it.
  const child = spawn(process.execPath, [program, 'setup'], { env, detached: true });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (part) => {
      text += part;
    });
  }
  /** @type {Promise<number | null>} */
  const ended = new Promise((done) => child.on('close', (code) => done(code)));
  return { child, ended, said: () => text };
}

/**
 * @param {boolean} holds
 * @param {string} problem
 */
function expect(holds, problem) {
  if (!holds) problems.push(problem);
}

/** @param {() => boolean} holds */
async function until(holds) {
  for (let i = 0; i < 12_000; i++) {
    if (holds()) return;
    await pause(50);
  }
  throw new Error('nothing happened for ten minutes');
}

function objects() {
  const folder = join(home, 'objects');
  return existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.o')) : [];
}

/** @param {string} name */
function modified(name) {
  return statSync(join(home, 'objects', name)).mtimeMs;
}

/** The folders of complete builds. */
function builds() {
  const native = join(home, 'native');
  if (!existsSync(native)) return [];
  return readdirSync(native).flatMap((library) =>
    readdirSync(join(native, library)).filter((name) => name !== 'selected' && !name.includes('.partial')),
  );
}
