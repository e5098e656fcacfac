import { endBy } from '../endProcess.js';
import { launcherVariable } from '../messages.js';

/** Makes a rank exit if its launcher is gone: nobody would wait for it or report why it failed. */
export function endWithLauncher(): void {
  if (process.env[launcherVariable] === undefined) return;
  if (!process.connected) endBy('SIGTERM');
  process.once('disconnect', () => {
    // Training listens too, and saves a checkpoint first.
    if (process.listenerCount('disconnect') === 0) endBy('SIGTERM');
  });
  process.channel?.unref();
}
