// The `anyclass` program.

import './commandLine/roomToStart.js';
import { endWithLauncher } from './children/ranks/launcherLost.js';
import { runProgram } from './commandLine/program.js';
import { keepGoingWithoutReaders, standardTerminal } from './commandLine/terminal.js';
import { commandEntries } from './commands/entries.js';
import { isSpeaker } from './distribution/speaker.js';

keepGoingWithoutReaders();
endWithLauncher();
const exitCode = await runProgram(commandEntries, process.argv.slice(2), standardTerminal(isSpeaker()));
// A failed write of results may already have set an exit code.
if (exitCode !== 0) process.exitCode = exitCode;
