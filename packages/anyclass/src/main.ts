// The `anyclass` program.

import { runProgram } from './commandLine/program.js';
import { keepGoingWithoutReaders, standardTerminal } from './commandLine/terminal.js';
import { commands } from './commands/index.js';
import { isSpeaker } from './distribution/ranks.js';

keepGoingWithoutReaders();
const exitCode = await runProgram(commands, process.argv.slice(2), standardTerminal(speaks()));

// Results that could not be written may have set one.
if (exitCode !== 0) process.exitCode = exitCode;

/** An environment that says nonsense of this process is told by the command. */
function speaks(): boolean {
  try {
    return isSpeaker();
  } catch {
    return true;
  }
}
