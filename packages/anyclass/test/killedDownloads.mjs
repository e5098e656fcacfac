// A repeatedly killed download must end with the right bytes and must not transfer much
// more than the file's size.
//
//   node packages/anyclass/test/killedDownloads.mjs 50        (needs a build: npm run setup)

import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fakeHub, sha256 } from './fakeHub.mjs';
import { heard, program } from './program.mjs';

const name = 'hf:tester/network@main:model.safetensors';

/**
 * @typedef {object} Killing
 * @property {number} kills
 * @property {number} inTransfer how many of the kills came during a transfer
 * @property {number} finished number of finished downloads
 * @property {number} wrong number of downloads that ended with wrong bytes
 * @property {number} mostTransferred the most bytes that one download took, per byte of the file; 1 without loss
 */

/**
 * Kills downloads of a file at random moments, until there were `kills` in mid-transfer. Every fifth
 * kill may come at any time.
 *
 * @param {number} kills
 * @param {number} megabytes the file's size
 * @param {(line: string) => void} say
 * @returns {Promise<Killing>}
 */
export async function killDownloads(kills, megabytes, say) {
  const folder = mkdtempSync(join(tmpdir(), 'anyclass-downloads-'));
  const content = randomBytes(megabytes * 2 ** 20);
  let home = '';
  const hash = sha256(content);
  const blob = () => join(home, 'hub', 'models--tester--network', 'blobs', hash);
  const received = () => statSync(`${blob()}.anyclass.incomplete`, { throwIfNoEntry: false })?.size ?? 0;
  const hub = await fakeHub({ 'model.safetensors': content }, { received });
  const result = { kills: 0, inTransfer: 0, finished: 0, wrong: 0, mostTransferred: 0 };
  try {
    while (result.inTransfer < kills) {
      home = join(folder, `home-${result.finished}`);
      hub.state.bytesSent = 0;
      let output = '';
      while (output === '') {
        const isLast = result.inTransfer >= kills;
        const child = pull(home, hub.state.endpoint);
        const before = hub.state.bytesSent;
        if (!isLast) killLater(child, hub.state, content.length, result.kills % 5 === 4);
        output = await outputOf(child);
        if (output !== '') break;
        const transferred = hub.state.bytesSent - before;
        result.kills++;
        if (transferred > 0) result.inTransfer++;
        say(`kill ${result.kills} after ${(transferred / 1e6).toFixed(1)} MB`);
      }
      const [{ path }] = JSON.parse(output);
      if (sha256(readFileSync(path)) !== hash) result.wrong++;
      result.finished++;
      result.mostTransferred = Math.max(result.mostTransferred, hub.state.bytesSent / content.length);
      rmSync(home, { recursive: true });
    }
    return result;
  } finally {
    await hub.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Downloads in another process.
 *
 * @param {string} home
 * @param {string} endpoint
 */
export function pull(home, endpoint) {
  return spawn(process.execPath, [program, 'weights', 'pull', name, '--json'], {
    env: {
      ...process.env,
      HF_HOME: home,
      HF_HUB_CACHE: '',
      HF_ENDPOINT: endpoint,
      HF_TOKEN: 'secret',
      HF_HUB_OFFLINE: '',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

/**
 * @param {ReturnType<typeof pull>} child
 * @param {Awaited<ReturnType<typeof fakeHub>>['state']} state
 * @param {number} size
 * @param {boolean} isAnyTime
 */
function killLater(child, state, size, isAnyTime) {
  if (isAnyTime) {
    const timer = setTimeout(() => child.kill('SIGKILL'), Math.random() * 1500);
    child.on('exit', () => clearTimeout(timer));
    return;
  }
  const due = (Math.random() * size) / 8;
  state.onSent = (sent) => {
    if (sent >= due) child.kill('SIGKILL');
  };
  child.on('exit', () => {
    state.onSent = () => {};
  });
}

/**
 * The output of a download; '' if it was killed.
 *
 * @param {ReturnType<typeof pull>} child
 */
export async function outputOf(child) {
  const { code, signal, output, errors } = await heard(child).ended;
  if (signal === 'SIGKILL') return '';
  if (code !== 0) throw new Error(`a download exited with code ${code}:\n${errors}`);
  return output;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const result = await killDownloads(Number(process.argv[2] ?? 50), 64, (line) => console.log(line));
  console.log(JSON.stringify(result));
  if (result.wrong > 0 || result.mostTransferred > 1.1) process.exitCode = 1;
}
