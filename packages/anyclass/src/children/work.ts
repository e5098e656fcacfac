// Work for another process, as a value: it travels over the channel between the processes, never as an
// argument list.

import type { ConfigurationInput } from '../configuration/schema.js';

/** A run to start, in a folder of its own by default, or the folder of a run to resume. */
export type RunToTrain =
  | { readonly configuration: ConfigurationInput; readonly folder?: string | undefined }
  | { readonly resume: string };

/** Trains a run. */
export interface TrainWork {
  readonly kind: 'train';
  readonly run: RunToTrain;
  /** Whether to print the result as JSON. */
  readonly json: boolean;
  /**
   * Whether it is one of many runs that are evaluated together, from their scores: nobody would read its
   * intervals and its report. Default false.
   */
  readonly isPart?: boolean;
}

/** The other commands that ranks divide among themselves. */
export const dividedCommands = ['evaluate', 'predict', 'embed', 'prepare'] as const;

/** Runs a command; only the command itself reads its options. */
export interface CommandWork {
  readonly kind: (typeof dividedCommands)[number];
  readonly options: Readonly<Record<string, unknown>>;
}

/** What ranks do together. */
export type RankWork = TrainWork | CommandWork;

/** Which of all ranks run on this machine, and where they connect. */
export interface RankPlaces {
  readonly first: number;
  readonly processes: number;
  readonly worldSize: number;
  readonly masterAddress: string;
  /** By default a free port; only if all ranks are on this machine. */
  readonly masterPort?: number | undefined;
}

/** Launches ranks on this machine. */
export interface LaunchWork {
  readonly kind: 'launch';
  readonly processes: number;
  readonly work: RankWork;
}

/** Launches the ranks of this machine on behalf of a launcher on another one. */
export interface AgentWork {
  readonly kind: 'agent';
  readonly places: RankPlaces;
  readonly timeoutSeconds?: number | undefined;
  readonly work: RankWork;
}

export type Work = RankWork | LaunchWork | AgentWork;

/** The first message to a process that waits for its work. */
export interface WorkMessage {
  readonly kind: 'work';
  readonly work: Work;
  /** Whether errors are shown with a stack trace. */
  readonly isDebugging: boolean;
}

export function isWorkMessage(message: unknown): message is WorkMessage {
  return typeof message === 'object' && message !== null && 'kind' in message && message.kind === 'work';
}
