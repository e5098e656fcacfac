// Download problems as errors for the user.

import { DownloadError } from '@anyclass/files/downloads';
import { UserError } from '../errors/userError.js';

/** The server has no such file. */
export class NotOnServer extends UserError {
  /** On a hub, the commit that lacks the file. */
  readonly commit: string | null;

  constructor(message: string, commit: string | null) {
    super(message);
    this.commit = commit;
  }
}

/** Runs a download and turns its errors into UserErrors that say what the user can do. */
export async function toldToUser<Result>(
  work: () => Result | Promise<Result>,
  { endpoint }: { readonly endpoint: string },
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof DownloadError)) throw error;
    const { message, answer } = error;
    switch (answer?.status) {
      case 401:
      case 403:
        throw new UserError(`${message}: ${accessAdvice(answer.host, endpoint)}`);
      case 404:
        throw new NotOnServer(`${message}: no such file or revision`, answer.headers.get('x-repo-commit'));
      default:
        throw new UserError(message);
    }
  }
}

/** Only the hub itself takes the hub's token. */
function accessAdvice(host: string, endpoint: string): string {
  return URL.canParse(endpoint) && new URL(endpoint).host === host
    ? 'if it is not public, set HF_TOKEN to a token with access'
    : `${host} does not let us read it; download it there yourself and name the file instead`;
}
