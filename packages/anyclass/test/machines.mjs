// Two machines on one: network namespaces with a cable between them, and host names of their own (needs root and `ip`).

import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { program } from './ranks.mjs';

/** As the machines know each other. */
export const addresses = ['10.231.7.1', '10.231.7.2'];
/** Several programs may have machines at the same time. */
const space = (/** @type {string} */ address) => `anyclass-${process.pid}-${address}`;

/** Ends the program where there can be no machines, with the reason. */
export function exitIfImpossible() {
  const reason = missing();
  if (reason === undefined) return;
  console.log(`skipped: ${reason}`);
  process.exit(0);
}

/** Why there can be no machines here; undefined where there can. */
function missing() {
  if (process.platform !== 'linux') return 'network namespaces are Linux';
  if (process.getuid?.() !== 0) return 'network namespaces need root';
  for (const tool of ['ip', 'unshare', 'mount']) {
    if (spawnSync(tool, ['--version']).error && spawnSync(tool, ['-V']).error) return `there is no '${tool}'`;
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
 * Makes the machines. `shell.sh HOST COMMAND` stands for ssh; with DISK_HOST and DISK set, that machine has a disk of 1 MiB there.
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
 * Starts the program; all processes that descend from it carry a mark in their environment.
 *
 * @param {readonly string[]} words
 * @param {{ mark: string, environment?: NodeJS.ProcessEnv, on?: { shell: string, host: string } }} options
 */
export function started(words, { mark, environment = {}, on }) {
  const quoted = [process.execPath, program, ...words].map((word) => `'${word}'`).join(' ');
  const [file = '', ...args] = on
    ? [...on.shell.split(' '), on.host, quoted]
    : [process.execPath, program, ...words];
  const child = spawn(file, args, {
    env: { ...process.env, OMP_NUM_THREADS: '1', ANYCLASS_TEST: mark, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const texts = { output: '', errors: '' };
  child.stdout.on('data', (data) => {
    texts.output += data;
  });
  child.stderr.on('data', (data) => {
    texts.errors += data;
  });
  const ended = once(child, 'close').then(([code, signal]) => ({ code, signal, ...texts }));
  return { child, ended };
}

/**
 * The processes with a mark, and which rank each is.
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
        return []; // ended just now
      }
    });
}

/**
 * Ends what is left of a start, whatever it is.
 *
 * @param {string} mark
 */
export function endAll(mark) {
  for (const { pid } of marked(mark)) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // ended by itself
    }
  }
}

/**
 * Waits until something is so.
 *
 * @param {() => boolean} isSo
 * @param {number} seconds
 * @param {string} what
 */
export async function until(isSo, seconds, what) {
  const end = performance.now() + 1000 * seconds;
  while (!isSo()) {
    if (performance.now() > end) throw new Error(`waited ${seconds} s in vain: ${what}`);
    await sleep(50);
  }
}

/** @param {string} run whether a run has saved a checkpoint */
export function hasCheckpoint(run) {
  const folder = join(run, 'checkpoints');
  return existsSync(folder) && readdirSync(folder).some((name) => /^epoch-.*safetensors$/.test(name));
}
