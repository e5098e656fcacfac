export interface UserErrorOptions {
  /** What ends the program. Default 1. */
  readonly exitCode?: number;
  /** For programs, where they have to tell one error from another. */
  readonly code?: ErrorCode;
  /** The field of the configuration that would mend it, such as `data.imageFolder=FOLDER`: the command line shows its option. */
  readonly setting?: string;
  readonly cause?: unknown;
}

/** `run-busy`: another process works on the run. `run-exists`: the folder holds a run already. */
export type ErrorCode = 'run-busy' | 'run-exists';

/**
 * A mistake in what the user gave, or something that the user can mend: shown without a stack trace.
 *
 * @example
 * throw new UserError('labels.csv: is empty; expected a header and rows below it');
 */
export class UserError extends Error {
  override readonly name: string = 'UserError';
  readonly exitCode: number;
  readonly code: ErrorCode | undefined;
  readonly setting: string | undefined;

  constructor(message: string, { exitCode = 1, code, setting, cause }: UserErrorOptions = {}) {
    super(message, cause === undefined ? {} : { cause });
    this.exitCode = exitCode;
    this.code = code;
    this.setting = setting;
  }
}
