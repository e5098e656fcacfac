export interface UserErrorOptions {
  /** What ends the program. Default 1. */
  readonly exitCode?: number;
  /** For programs, where they have to tell one error from another. */
  readonly code?: ErrorCode;
  /** What to run next. Messages name no flags: the command line prints this as a line for a shell. */
  readonly next?: NextCommand;
  /** The field of the configuration that would mend it, such as `data.imageFolder=FOLDER`: the command line shows its option. */
  readonly setting?: string;
  readonly cause?: unknown;
}

/** `run-busy`: another process works on the run. `run-exists`: the folder holds a run already. `rank-lost`: another rank ended or is silent. */
export type ErrorCode = 'run-busy' | 'run-exists' | 'rank-lost' | 'ranks-differ';

/** A command of the program with its options, by the names that programs give them. */
export interface NextCommand {
  readonly command: string;
  readonly options: Readonly<Record<string, string>>;
}

/**
 * A mistake in what the user gave, or something that the user can mend: shown without a stack trace.
 *
 * @example
 * throw new UserError('labels.csv: is empty; expected a header and rows below it');
 * throw new UserError('runs/sewer: the run is not finished; resume it', { next: resumeCommand('runs/sewer') });
 */
export class UserError extends Error {
  override readonly name: string = 'UserError';
  readonly exitCode: number;
  readonly code: ErrorCode | undefined;
  readonly next: NextCommand | undefined;
  readonly setting: string | undefined;

  constructor(message: string, { exitCode = 1, code, next, setting, cause }: UserErrorOptions = {}) {
    super(message, cause === undefined ? {} : { cause });
    this.exitCode = exitCode;
    this.code = code;
    this.next = next;
    this.setting = setting;
  }
}

/** How a run is resumed: what many errors about unfinished runs suggest. */
export function resumeCommand(run: string): NextCommand {
  return { command: 'train', options: { resume: run } };
}
