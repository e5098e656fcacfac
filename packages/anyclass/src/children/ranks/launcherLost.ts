import { launcherVariable } from './rankFailure.js';

/** Ends a rank whose launcher is gone, however that ended: nobody would wait for it, or tell why it failed. */
export function endWithLauncher(): void {
  if (process.env[launcherVariable] === undefined) return;
  if (!process.connected) process.exit(143);
  process.once('disconnect', () => {
    // Training listens too: it saves a checkpoint first.
    if (process.listenerCount('disconnect') === 0) process.exit(143);
  });
  process.channel?.unref();
}
