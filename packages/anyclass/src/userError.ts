/** A mistake in what the user gave: shown without a stack trace. */
export class UserError extends Error {
  override readonly name: string = 'UserError';
  readonly exitCode: number;

  constructor(message: string, exitCode = 1) {
    super(message);
    this.exitCode = exitCode;
  }
}
