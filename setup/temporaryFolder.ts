// Tests get a folder of their own for temporary files, which goes when they end: also what tests leave that are skipped, time out or are killed.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { freemem, tmpdir } from 'node:os';
import { join } from 'node:path';

/** Runs before the processes of the tests start, which inherit the variable. */
export function setup(): () => void {
  const folder = mkdtempSync(join(place(), 'anyclass-tests-'));
  process.env['TMPDIR'] = folder;
  return () => rmSync(folder, { recursive: true, force: true });
}

/** Linux's in-memory folder if there is room, since tests write thousands of files and would wait for the disk. Programs can be run from it. */
function place(): string {
  if (process.platform !== 'linux' || freemem() < 8 * 2 ** 30) return tmpdir();
  const [, options = 'noexec'] =
    /^\S+ \/dev\/shm tmpfs (\S+)/m.exec(readFileSync('/proc/mounts', 'utf8')) ?? [];
  return options.split(',').includes('noexec') ? tmpdir() : '/dev/shm';
}
