// After each test file: fails it if something in its process is not as it was before, since files share processes and run in any order.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { afterAll, expect, vi } from 'vitest';

/** Set for libraries and read by them once: by libvips itself, and by setDeterministic for cuBLAS. */
const variablesOfLibraries = ['VIPSHOME', 'CUBLAS_WORKSPACE_CONFIG'];

/** Lives as long as the process that bundles with it. */
const lastingService = /@esbuild/;

const before = state();
afterAll(async () => {
  const changed = () => {
    const after = state();
    const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
    return names.filter((name) => before[name] !== after[name]);
  };
  // Processes that were told to end take a moment, on a busy machine several.
  await vi.waitFor(() => expect(changed(), 'what the file left changed in its process').toEqual([]), 60_000);
}, 90_000);

/** What is the same for all test files of a process, by names that say what it is. */
function state(): Record<string, unknown> {
  const replaceable = { fetch, 'Date.now': Date.now, 'performance.now': performance.now };
  const written = { 'stdout.write': process.stdout.write, 'stderr.write': process.stderr.write };
  return Object.fromEntries([
    ['working folder', process.cwd()],
    ['umask', process.umask()],
    ['exit code', process.exitCode],
    ['fake timers', vi.isFakeTimers()],
    ...Object.entries({ ...replaceable, ...written }),
    ...Object.entries(process.env)
      .filter(([name]) => !variablesOfLibraries.includes(name))
      .map(([name, value]) => [`variable ${name}`, value]),
    ...process.eventNames().map((name) => [`listeners of ${String(name)}`, process.listenerCount(name)]),
    ...childProcesses().map((child) => [`child process ${child}`, true]),
  ]);
}

/** Number and command of each process that this one started and that still runs (one that has ended has no command); Linux only. */
function childProcesses(): string[] {
  const tasks = '/proc/self/task';
  if (!existsSync(tasks)) return [];
  const read = (path: string) => (existsSync(path) ? readFileSync(path, 'utf8') : '');
  return readdirSync(tasks)
    .flatMap((task) => read(`${tasks}/${task}/children`).split(' '))
    .filter((pid) => pid !== '')
    .map((pid) => [pid, read(`/proc/${pid}/cmdline`).replaceAll('\0', ' ').slice(0, 200)] as const)
    .filter(([, command]) => command !== '' && !lastingService.test(command))
    .map(([pid, command]) => `${pid} ${command}`);
}
