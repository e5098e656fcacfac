// The `anyclass` program.

import { runProgram } from './commandLine/program.js';
import { standardTerminal } from './commandLine/terminal.js';
import { commands } from './commands/index.js';

process.exitCode = await runProgram(commands, process.argv.slice(2), standardTerminal());
