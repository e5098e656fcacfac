// What killed processes left behind.

import { randomBytes } from 'node:crypto';
import { lstatSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { errorCode } from './problem.js';

const cleared = new Set<string>();

/** Hours after which what a process that is gone left is removed; another machine may still write to it. */
const leftoverHours = 24;

/**
 * Removes what killed processes of this user left in a folder; looks once per folder and pattern.
 *
 * @param pattern matches the names, with the process id as its first group
 */
function removeLeftovers(folder: string, pattern: RegExp): void {
  const place = resolve(folder);
  const key = `${pattern.source} ${place}`;
  if (cleared.has(key)) return;
  cleared.add(key);
  const oldest = Date.now() - leftoverHours * 3_600_000;
  try {
    for (const name of readdirSync(place)) {
      const [, pid] = pattern.exec(name) ?? [];
      if (pid === undefined || isAlive(Number(pid))) continue;
      const { uid, mtimeMs } = lstatSync(join(place, name));
      const isOurs = process.getuid === undefined || uid === process.getuid();
      if (isOurs && mtimeMs < oldest) rmSync(join(place, name), { recursive: true, force: true });
    }
  } catch {
    // The folder does not exist yet, or may not be read; writing will say so.
  }
}

const partial = /^\.partial-(\d+)-[0-9a-f]{16}(?:\.\w+)?$/;

/**
 * A path for a file or folder in the making, beside the one that it will become. Those that killed processes left there
 * are removed.
 *
 * @example
 * partialPath('runs/sewer/model.onnx', '.onnx') // 'runs/sewer/.partial-4711-0f3c5a….onnx'
 */
export function partialPath(target: string, ending = ''): string {
  const folder = dirname(target);
  removeLeftovers(folder, partial);
  return join(folder, `.partial-${process.pid}-${randomBytes(8).toString('hex')}${ending}`);
}

/** Whether a name is that of a file or folder in the making. */
export function isPartial(name: string): boolean {
  return partial.test(name);
}

/**
 * Creates a folder of temporary files, which the caller removes. Those that killed processes left are removed.
 *
 * @example
 * temporaryFolder('anyclass-ranks') // '/tmp/anyclass-ranks-4711-b3f9xQ'
 */
export function temporaryFolder(name: string): string {
  removeLeftovers(tmpdir(), new RegExp(`^${name}-(\\d+)-\\w{6}$`));
  return mkdtempSync(join(tmpdir(), `${name}-${process.pid}-`));
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCode(error) !== 'ESRCH';
  }
}
