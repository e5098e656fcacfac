export interface UserErrorOptions {
  /** The program's exit code. Default 1. */
  readonly exitCode?: number;
  /** For programs that need to tell errors apart. */
  readonly code?: ErrorCode;
  /** What to run next. Messages name no flags; the command line prints this as a shell command. */
  readonly next?: NextCommand;
  /** What would fix it, shown as an option: a configuration field, such as `data.imageFolder=FOLDER`, or an option's name. */
  readonly setting?: string;
  readonly cause?: unknown;
}

/**
 * `run-busy`: another process is working on the run. `run-exists`: the folder already holds a run.
 * `rank-lost`: another rank exited or went silent. `ranks-differ`: the ranks were started with different
 * work. `scores-damaged`: a run's scores are not what it wrote. `run-unwritable`: the run folder takes no more files, as on a full disk.
 */
export type ErrorCode =
  | 'run-busy'
  | 'run-exists'
  | 'run-unwritable'
  | 'rank-lost'
  | 'ranks-differ'
  | 'scores-damaged';

/** A command of the program with its options, named as in code. */
export interface NextCommand {
  readonly command: string;
  readonly options: Readonly<Record<string, string>>;
}

/**
 * A mistake in the user's input, or something that the user can fix: shown without a stack trace.
 *
 * @example
 * throw new UserError('labels.csv: is empty; expected a header and rows');
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

/** The command that resumes a run, which many errors about unfinished runs suggest. */
export function resumeCommand(run: string): NextCommand {
  return { command: 'train', options: { resume: run } };
}
