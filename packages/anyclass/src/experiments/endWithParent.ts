// Loaded into a run's process before anything else: when the experiment's process is gone, however it ended, the run saves a
// checkpoint and ends as after Ctrl-C. Standard input is a pipe from there, on which nothing is ever written.

import { isMainThread } from 'node:worker_threads';

if (isMainThread) {
  process.stdin.on('end', () => process.kill(process.pid, 'SIGINT'));
  process.stdin.resume();
  process.stdin.unref();
  // Nobody reads what is said then; that must not keep the run from saving.
  process.stdout.on('error', () => {});
  process.stderr.on('error', () => {});
}
