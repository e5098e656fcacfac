// The `anyclass` program.

import './commandLine/roomToStart.js';
import { endNow } from './children/endProcess.js';
import { endWithLauncher } from './children/ranks/launcherLost.js';
import { receivedWork } from './children/receivedWork.js';
import type { WorkMessage } from './children/work.js';
import { reported, runProgram } from './commandLine/program.js';
import { keepGoingWithoutReaders, standardTerminal } from './commandLine/terminal.js';
import { commandEntries } from './commands/entries.js';
import { isFirstRank } from './distribution/firstRank.js';

keepGoingWithoutReaders();
const received = await receivedWork();
endWithLauncher();
const terminal = standardTerminal(isFirstRank());
const exitCode = received
  ? await runReceived(received)
  : await runProgram(commandEntries, process.argv.slice(2), terminal);
// A failed write of results may already have set an exit code.
if (exitCode !== 0) process.exitCode = exitCode;
// Everything is said; what still waits, such as a connection to a server that never answers or a thread for a pipe, does not hold us up.
setTimeout(endNow, 3000).unref();

async function runReceived({ work, isDebugging }: WorkMessage): Promise<number> {
  return reported({ commands: commandEntries, name: work.kind, terminal, isDebugging }, async () => {
    await (await import('./commands/work.js')).runWork(work, { ...terminal, isDebugging });
    return 0;
  });
}
