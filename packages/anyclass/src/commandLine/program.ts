// The program: picks the command, runs it, and turns errors into messages and exit codes.
//
// A `command` has a schema; `fields` tells what that says of its options, `parse` and `help` follow it. What commands write to
// is a `terminal`, with a `progressBar` or `liveLines` for long work, which `interruption` ends. `shellLine` writes command lines
// for the user to run next.

import { EngineError } from '@anyclass/torch/builds';
import { toldLauncher } from '../children/ranks/rankFailure.js';
import { nearest } from '../errors/nearest.js';
import { messageOf } from '../errors/reasonOf.js';
import { UsageError } from '../errors/usageError.js';
import { UserError } from '../errors/userError.js';
import { version } from '../runs/version.js';
import type { Command } from './command.js';
import { flagOf } from './fields.js';
import { commandHelp, programHelp } from './help.js';
import { ownWords, parseOptions } from './parse.js';
import { commandLine } from './shellLine.js';
import type { Terminal } from './terminal.js';

/** Exit codes: 0 done, 1 bad input or failure, 2 a command line that cannot be understood; a command may have its own. */
export async function runProgram(
  commands: readonly Command[],
  words: readonly string[],
  terminal: Terminal,
): Promise<number> {
  const debug = words.includes('--debug');
  const [name, ...rest] = words.filter((word) => word !== '--debug');
  try {
    if (name === undefined) {
      terminal.print(programHelp(commands));
      return 2;
    }
    if (name === 'help' || isHelpFlag(name)) {
      terminal.print(helpOn(commands, rest));
      return 0;
    }
    if (name === '--version') {
      terminal.print(version());
      return 0;
    }
    const command = findCommand(commands, name);
    if (ownWords(command, rest).some(isHelpFlag)) {
      terminal.print(commandHelp(command));
      return 0;
    }
    await command.run(parseOptions(command, rest), terminal);
    return 0;
  } catch (error) {
    return report(error, { commands, name, debug, terminal });
  }
}

function isHelpFlag(word: string): boolean {
  return word === '--help' || word === '-h';
}

/** `help` alone is about the program, `help NAME` about one command. */
function helpOn(commands: readonly Command[], words: readonly string[]): string {
  const [name, extra] = words.filter((word) => !isHelpFlag(word));
  if (name === undefined) return programHelp(commands);
  if (extra !== undefined)
    throw new UsageError(`'anyclass help' takes one command; '${name}' and '${extra}' are two`);
  return commandHelp(findCommand(commands, name));
}

function findCommand(commands: readonly Command[], name: string): Command {
  const found = commands.find((command) => command.name === name);
  if (found) return found;
  const close = nearest(
    name,
    commands.map((command) => command.name),
  );
  throw new UsageError(`there is no command '${name}'${close ? `; did you mean '${close}'?` : ''}`);
}

interface Failure {
  readonly commands: readonly Command[];
  /** The command that failed, as it was given. */
  readonly name: string | undefined;
  readonly debug: boolean;
  readonly terminal: Terminal;
}

function report(error: unknown, failure: Failure): number {
  const lines = errorLines(error, failure);
  const exitCode = error instanceof UsageError ? 2 : error instanceof UserError ? error.exitCode : 1;
  // Of several ranks, the launcher prints one message for all.
  if (!toldLauncher(error, lines, exitCode)) for (const line of lines) failure.terminal.note(line);
  return exitCode;
}

function errorLines(error: unknown, { commands, name, debug }: Failure): string[] {
  const message =
    debug && error instanceof Error ? (error.stack ?? error.message) : `anyclass: ${shownMessage(error)}`;
  if (error instanceof UsageError) {
    const known = commands.some((command) => command.name === name) ? ` ${name}` : '';
    return [message, `Try 'anyclass${known} --help'.`];
  }
  if (error instanceof UserError) {
    const command = commands.find((candidate) => candidate.name === name);
    const option = command && error.setting !== undefined && settingOption(error.setting, command);
    return [
      message,
      ...(error.next ? [`Run: ${commandLine(error.next, commands)}`] : []),
      ...(option ? [`On the command line: ${option}`] : []),
    ];
  }
  // A machine that is not set up is no mistake of the program either.
  if (debug || error instanceof EngineError) return [message];
  return [message, 'Add --debug for a stack trace.'];
}

/** How a field is set with the options that a command has. */
function settingOption(setting: string, { options }: Command): string | undefined {
  const dataset = /^data\.dataset=(.*)$/.exec(setting)?.[1];
  if (dataset !== undefined && 'data' in options.shape) return `--data ${dataset}`;
  if (!('set' in options.shape)) return undefined;
  return `--set ${/^[\w.=-]+$/.test(setting) ? setting : `'${setting.replaceAll("'", "'\\''")}'`}`;
}

/** The command line's name of an option is its flag. */
function shownMessage(error: unknown): string {
  if (!(error instanceof UsageError) || error.option === undefined) return messageOf(error);
  return `${flagOf(error.option)}: ${error.reason}`;
}
