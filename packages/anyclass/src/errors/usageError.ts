import { UserError } from './userError.js';

/**
 * An invalid argument: exit code 2. Library code names the option as in code (`devices`); the
 * command line shows its flag (`--devices`) and points to the help.
 *
 * @example
 * throw new UsageError("'gpu' is neither cpu nor cuda:N", 'devices');
 */
export class UsageError extends UserError {
  override readonly name = 'UsageError';
  readonly reason: string;
  readonly option: string | undefined;

  constructor(reason: string, option?: string) {
    super(option === undefined ? reason : `${option}: ${reason}`, { exitCode: 2 });
    this.reason = reason;
    this.option = option;
  }
}
