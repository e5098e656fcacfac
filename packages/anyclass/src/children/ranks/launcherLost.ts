import { endSoon } from '../endProcess.js';
import { launcherVariable } from '../messages.js';

/** Makes a rank end if its launcher is gone: nobody would wait for it or report why it failed. Training saves a checkpoint first. */
export function endWithLauncher(): void {
  if (process.env[launcherVariable] === undefined) return;
  if (!process.connected) endSoon();
  process.once('disconnect', endSoon);
  process.channel?.unref();
}
