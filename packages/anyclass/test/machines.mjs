// Two machines on one: network namespaces with a cable between them, each with its own host
// name (needs root and `ip`).

import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { heard, program } from './program.mjs';

/** The addresses by which the machines know each other. */
export const addresses = ['10.231.7.1', '10.231.7.2'];
/**
 * The name of a machine's namespace, unique to this process: several programs may have
 * machines at the same time.
 */
const space = (/** @type {string} */ address) => `anyclass-${process.pid}-${address}`;

/** Exits with the reason if machines cannot be created. */
export function exitIfImpossible() {
  const reason = missing();
  if (reason === undefined) return;
  console.log(`skipped: ${reason}`);
  process.exit(0);
}

/** Why machines cannot be created here; undefined if they can. */
function missing() {
  if (process.platform !== 'linux') return 'network namespaces need Linux';
  if (process.getuid?.() !== 0) return 'network namespaces need root';
  for (const tool of ['ip', 'unshare', 'mount']) {
    if (spawnSync(tool, ['--version']).error && spawnSync(tool, ['-V']).error) return `'${tool}' not found`;
  }
  const tried = spawnSync('unshare', ['--net', '--uts', '--mount', 'true'], { encoding: 'utf8' });
  return tried.status === 0 ? undefined : tried.stderr.trim();
}

/**
 * @typedef {object} Machines
 * @property {string} shell runs a command on a machine, as ssh does
 * @property {(isUp: boolean) => void} cable
 * @property {() => void} remove
 */

/**
 * Creates the machines. `shell.sh HOST COMMAND` stands for ssh. If DISK_HOST and DISK are set, that machine
 * has a disk of 1 MiB there.
 *
 * @param {string} folder
 * @returns {Machines}
 */
export function createMachines(folder) {
  const remove = () => {
    for (const address of addresses) spawnSync('ip', ['netns', 'del', space(address)]);
  };
  remove();
  const ip = (/** @type {string[]} */ ...words) => execFileSync('ip', words, { stdio: 'pipe' });
  for (const address of addresses) ip('netns', 'add', space(address));
  const [first = '', second = ''] = addresses.map(space);
  ip('link', 'add', 'cable', 'netns', first, 'type', 'veth', 'peer', 'name', 'cable', 'netns', second);
  for (const address of addresses) {
    ip('-n', space(address), 'addr', 'add', `${address}/24`, 'dev', 'cable');
    for (const device of ['lo', 'cable']) ip('-n', space(address), 'link', 'set', device, 'up');
  }
  mkdirSync(folder, { recursive: true });
  const shell = join(folder, 'shell.sh');
  const lines = [
    'host="$1"; shift',
    'disk=":"; [ "$host" = "$DISK_HOST" ] && disk="mount -t tmpfs -o size=1M none $DISK"',
    `exec ip netns exec "${space('')}$host" unshare --uts --mount sh -c "hostname machine-$host; $disk; $*"`,
  ];
  writeFileSync(shell, `${lines.join('\n')}\n`);
  return {
    shell: `sh ${shell}`,
    cable: (isUp) => ip('-n', first, 'link', 'set', 'cable', isUp ? 'up' : 'down'),
    remove,
  };
}

/**
 * Starts the program; all its descendants carry a mark in their environment.
 *
 * @param {readonly string[]} words
 * @param {{ mark: string, environment?: NodeJS.ProcessEnv, on?: { shell: string, host: string } }} options
 */
export function started(words, { mark, environment = {}, on }) {
  const quoted = [process.execPath, program, ...words].map((word) => `'${word}'`).join(' ');
  const [file = '', ...args] = on
    ? [...on.shell.split(' '), on.host, quoted]
    : [process.execPath, program, ...words];
  const env = { ...process.env, OMP_NUM_THREADS: '1', ANYCLASS_TEST: mark, ...environment };
  const child = spawn(file, args, { env });
  child.stdin.end();
  return heard(child);
}

/**
 * The processes with a mark, and the rank of each.
 *
 * @param {string} mark
 */
export function marked(mark) {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const variables = readFileSync(`/proc/${name}/environ`, 'utf8').split('\0');
        const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
        if (!variables.includes(`ANYCLASS_TEST=${mark}`) || / Z /.test(stat)) return [];
        const rank = variables.find((line) => line.startsWith('RANK='))?.slice(5);
        return [{ pid: Number(name), rank: rank === undefined ? undefined : Number(rank) }];
      } catch {
        return []; // has just exited
      }
    });
}

/**
 * Kills all remaining processes with a mark.
 *
 * @param {string} mark
 */
export function endAll(mark) {
  for (const { pid } of marked(mark)) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // has exited by itself
    }
  }
}

/**
 * Waits until a condition holds.
 *
 * @param {() => boolean} isSo
 * @param {number} seconds
 * @param {string} what
 */
export async function until(isSo, seconds, what) {
  const end = performance.now() + 1000 * seconds;
  while (!isSo()) {
    if (performance.now() > end) throw new Error(`timed out after ${seconds} s: ${what}`);
    await sleep(50);
  }
}

/**
 * Whether a run has saved a checkpoint.
 *
 * @param {string} run
 */
export function hasCheckpoint(run) {
  const folder = join(run, 'checkpoints');
  return existsSync(folder) && readdirSync(folder).some((name) => /^epoch-.*safetensors$/.test(name));
}
