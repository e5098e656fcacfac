// A command: one zod schema defines the types, defaults, validation and help of its options.

import type { z } from 'zod';
import type { Terminal } from './terminal.js';

export interface Command<Options extends z.ZodObject = z.ZodObject, Result = unknown> {
  readonly name: string;
  /** One line for the list of commands. */
  readonly summary: string;
  /** The arguments after the name, such as `DATASET…`; each is also a field of the options. */
  readonly positionals?: readonly Positional[];
  /** Pairs of a command line and what it does. */
  readonly examples: readonly (readonly [string, string])[];
  readonly options: Options;
  run(options: z.output<Options>, terminal: Terminal): Promise<Result>;
}

/** A command that is not loaded yet. */
export interface CommandEntry {
  readonly name: string;
  readonly summary: string;
  load(): Promise<Command>;
}

export interface Positional {
  /** Name of the field in `options`. */
  readonly field: string;
  readonly placeholder: string;
  /** Takes all remaining arguments, as an array. */
  readonly rest?: boolean;
  /** Takes the arguments verbatim, including what looks like options: they belong to another command. */
  readonly raw?: boolean;
}

export function command<Options extends z.ZodObject, Result>(
  definition: Command<Options, Result>,
): Command<Options, Result> {
  return definition;
}
