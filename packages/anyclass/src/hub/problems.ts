// What goes wrong in a download, as errors that the user is shown.

import { DownloadError } from '@anyclass/torch/downloads';
import { UserError } from '../errors/userError.js';

/** The server has no such file. */
export class NotOnServer extends UserError {
  /** Of a hub: the commit that lacks it. */
  readonly commit: string | null;

  constructor(message: string, commit: string | null) {
    super(message);
    this.commit = commit;
  }
}

/** Does work that downloads; what it throws says what the user can do. */
export async function toldToUser<Result>(work: () => Result | Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof DownloadError)) throw error;
    const { message, answer } = error;
    switch (answer?.status) {
      case 401:
      case 403:
        throw new UserError(`${message}: if it is not public, set HF_TOKEN to a token with access`);
      case 404:
        throw new NotOnServer(`${message}: no such file or revision`, answer.headers.get('x-repo-commit'));
      default:
        throw new UserError(message);
    }
  }
}
