// The built program, in a process of its own.

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export const program = fileURLToPath(new URL('../bin/anyclass.js', import.meta.url));

/**
 * Starts the program, and tells how it ends.
 *
 * @param {readonly string[]} words
 * @param {import('node:child_process').SpawnOptionsWithoutStdio} [options]
 */
export function startProgram(words, options = {}) {
  return heard(spawn(process.execPath, [program, ...words], options));
}

/**
 * Runs the program to its end.
 *
 * @param {readonly string[]} words
 * @param {string} [cwd]
 */
export function programResult(words, cwd) {
  return spawnSync(process.execPath, [program, ...words], { cwd, encoding: 'utf8' });
}

/**
 * Starts the program in a folder and sends it a signal once it says something.
 *
 * @param {string} folder
 * @param {readonly string[]} words
 * @param {string} moment
 * @param {NodeJS.Signals} [signal]
 */
export function interruptedProgram(folder, words, moment, signal = 'SIGINT') {
  const { child, texts, ended } = startProgram(words, { cwd: folder });
  let isSent = false;
  child.stderr.on('data', () => {
    if (isSent || !texts.errors.includes(moment)) return;
    isSent = true;
    child.kill(signal);
  });
  return ended;
}

/**
 * A process with what it has written so far, and with how it ends.
 *
 * @template {import('node:child_process').ChildProcessByStdio<import('node:stream').Writable | null, import('node:stream').Readable, import('node:stream').Readable>} Child
 * @param {Child} child
 */
export function heard(child) {
  const texts = { output: '', errors: '' };
  child.stdout.on('data', (data) => {
    texts.output += data;
  });
  child.stderr.on('data', (data) => {
    texts.errors += data;
  });
  const ended = once(child, 'close').then(([code, signal]) => ({ code, signal, ...texts }));
  return { child, texts, ended };
}

/**
 * The processes that a process has started; Linux only.
 *
 * @param {number} pid
 * @returns {number[]}
 */
export function childrenOf(pid) {
  try {
    return readdirSync(`/proc/${pid}/task`).flatMap((task) =>
      readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
    );
  } catch {
    return [];
  }
}
