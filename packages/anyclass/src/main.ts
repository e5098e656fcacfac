// The `anyclass` program.

import { runProgram } from './commandLine/program.js';
import { keepGoingWithoutReaders, standardTerminal } from './commandLine/terminal.js';
import { commands } from './commands/index.js';

keepGoingWithoutReaders();
const exitCode = await runProgram(commands, process.argv.slice(2), standardTerminal());
// Results that could not be written may have set one.
if (exitCode !== 0) process.exitCode = exitCode;
