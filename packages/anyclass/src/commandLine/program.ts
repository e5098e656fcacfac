// The program: picks the command, runs it, and turns errors into messages and exit codes.
//
// A `command` has a schema; `fields` derives its options, which `parse` and `help` use. Commands write to a
// `terminal` and show long work with a `progressBar` or `liveLines`; `interruption` handles Ctrl-C.
// `shellLine` writes command lines for the user to run next.

import { EngineError } from '@anyclass/torch/builds';
import { toldLauncher } from '../children/ranks/rankFailure.js';
import { isFileError } from '../errors/isFileError.js';
import { nearest } from '../errors/nearest.js';
import { firstError, messageOf } from '../errors/reasonOf.js';
import { UsageError } from '../errors/usageError.js';
import { UserError } from '../errors/userError.js';
import { version } from '../runs/version.js';
import type { Command, CommandEntry } from './command.js';
import { flagOf } from './fields.js';
import { commandHelp, programHelp } from './help.js';
import { ownWords, parseOptions } from './parse.js';
import { commandLine } from './shellLine.js';
import type { Terminal } from './terminal.js';

/**
 * Runs the program and returns its exit code: 0 success, 1 bad input or failure, 2 invalid command line; a
 * command may have its own.
 */
export async function runProgram(
  commands: readonly AnyCommand[],
  words: readonly string[],
  terminal: Terminal,
): Promise<number> {
  const isDebugging = words.includes('--debug');
  const [name, ...rest] = words.filter((word) => word !== '--debug');
  return reported({ commands, name, words: rest, terminal, isDebugging }, async () => {
    if (name === undefined) {
      terminal.print(programHelp(commands));
      return 2;
    }
    if (name === 'help' || isHelpFlag(name)) {
      terminal.print(await helpOn(commands, rest));
      return 0;
    }
    if (name === '--version') {
      terminal.print(version());
      return 0;
    }
    const command = await loaded(findCommand(commands, name));
    if (ownWords(command, rest).some(isHelpFlag)) {
      terminal.print(commandHelp(command));
      return 0;
    }
    await command.run(parseOptions(command, rest), { ...terminal, isDebugging });
    return 0;
  });
}

export interface Reported {
  readonly commands: readonly AnyCommand[];
  /** Name of the command, as given. */
  readonly name: string | undefined;
  /** What follows the name. */
  readonly words?: readonly string[];
  readonly terminal: Terminal;
  readonly isDebugging: boolean;
}

/** Does some work and returns its exit code; an error becomes a message. */
export async function reported(context: Reported, work: () => Promise<number>): Promise<number> {
  try {
    return await work();
  } catch (error) {
    return await report(error, context);
  }
}

/** A command, loaded or not. */
type AnyCommand = Command | CommandEntry;

async function loaded(command: AnyCommand): Promise<Command> {
  return 'load' in command ? command.load() : command;
}

async function named(
  commands: readonly AnyCommand[],
  name: string | undefined,
): Promise<Command | undefined> {
  const found = commands.find((command) => command.name === name);
  return found && loaded(found);
}

function isHelpFlag(word: string): boolean {
  return word === '--help' || word === '-h';
}

/** Returns the help of the program for `help` alone, and of one command for `help NAME`. */
async function helpOn(commands: readonly AnyCommand[], words: readonly string[]): Promise<string> {
  const [name, extra] = words.filter((word) => !isHelpFlag(word));
  if (name === undefined) return programHelp(commands);
  if (extra !== undefined)
    throw new UsageError(`'anyclass help' takes one command; '${name}' and '${extra}' are two`);
  return commandHelp(await loaded(findCommand(commands, name)));
}

function findCommand(commands: readonly AnyCommand[], name: string): AnyCommand {
  const found = commands.find((command) => command.name === name);
  if (found) return found;
  const close = nearest(
    name,
    commands.map((command) => command.name),
  );
  throw new UsageError(`no such command '${name}'${close ? `; did you mean '${close}'?` : ''}`);
}

async function report(thrown: unknown, failure: Reported): Promise<number> {
  const error = firstError(thrown);
  const lines = await errorLines(error, error === thrown ? shownMessage(error) : messageOf(thrown), failure);
  const exitCode = error instanceof UsageError ? 2 : error instanceof UserError ? error.exitCode : 1;
  // With several ranks, the launcher prints one message for all of them.
  if (toldLauncher(error, lines, exitCode)) return exitCode;
  const { terminal } = failure;
  for (const line of lines) (terminal.fail ?? terminal.note)(line);
  return exitCode;
}

async function errorLines(
  error: unknown,
  shown: string,
  { commands, name, words = [], isDebugging }: Reported,
): Promise<string[]> {
  const message =
    isDebugging && error instanceof Error ? (error.stack ?? error.message) : `anyclass: ${shown}`;
  if (error instanceof UsageError) {
    const known = commands.some((command) => command.name === name) ? ` ${name}` : '';
    return [message, `Try 'anyclass${known} --help'.`];
  }
  if (error instanceof UserError) {
    const next = error.next && (await named(commands, error.next.command));
    // With launch, it is the launched command that takes the option.
    const command = await named(commands, name === 'launch' ? launchedName(commands, words) : name);
    const option = command && error.setting !== undefined && settingOption(error.setting, command);
    return [
      message,
      ...(error.next ? [`Run: ${commandLine(error.next, next ? [next] : [])}`] : []),
      ...(option ? [`On the command line: ${option}`] : []),
    ];
  }
  // A machine without setup is not a bug in the program either.
  if (isDebugging || error instanceof EngineError || isFileError(error)) return [message];
  return [message, 'Add --debug for a stack trace.'];
}

function launchedName(commands: readonly AnyCommand[], words: readonly string[]): string | undefined {
  return words.find((word) => commands.some((command) => command.name === word));
}

/** Returns the option that sets a field in a command; undefined if the command has none. */
function settingOption(setting: string, { options }: Command): string | undefined {
  const dataset = /^data\.dataset=(.*)$/.exec(setting)?.[1];
  if (dataset !== undefined && 'data' in options.shape) return `--data ${dataset}`;
  const [field = '', value] = setting.split('=');
  if (field in options.shape) return [flagOf(field), value ?? []].flat().join(' ');
  if (!('set' in options.shape)) return undefined;
  return `--set ${/^[\w.=-]+$/.test(setting) ? setting : `'${setting.replaceAll("'", "'\\''")}'`}`;
}

/** Returns the message for the command line, where an option is named by its flag. */
function shownMessage(error: unknown): string {
  if (!(error instanceof UsageError) || error.option === undefined) return messageOf(error);
  return `${flagOf(error.option)}: ${error.reason}`;
}
