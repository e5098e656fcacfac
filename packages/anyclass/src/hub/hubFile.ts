// A file in a hub repository, by name. Names come from users, configurations, and servers, and become parts
// of addresses and paths, so none may lead out of its folder.

import { UserError } from '../errors/userError.js';

export interface HubFile {
  /** `OWNER/NAME`. */
  readonly repository: string;
  /** A branch, tag, or commit. */
  readonly revision: string;
  /** Its path in the repository, with `/`. */
  readonly file: string;
  /** The required hash, if known in advance. */
  readonly sha256?: string | undefined;
}

/**
 * Throws unless all the names could exist on the hub.
 *
 * @example
 * checkHubFile({ repository: 'timm/resnet18.a1_in1k', revision: 'main', file: '../token' })
 * // UserError: '../token' is not a file of a repository
 */
export function checkHubFile({ repository, revision, file }: HubFile): void {
  checkRepository(repository);
  if (!isRelativePath(revision))
    throw new UserError(`'${revision}' is not a revision: expected a branch, tag or commit`);
  if (!isRelativePath(file)) throw new UserError(`'${file}' is not a file of a repository`);
}

/** Throws unless a text is `OWNER/NAME`. */
export function checkRepository(repository: string): void {
  const parts = repository.split('/');
  if (parts.length === 2 && parts.every((part) => /^\w[\w.-]{0,95}$/.test(part) && !/--|\.\./.test(part)))
    return;
  throw new UserError(`'${repository}' is not a repository of the hub: expected OWNER/NAME`);
}

/** Whether a revision is a commit, which never changes. */
export function isCommit(revision: string): boolean {
  return /^[0-9a-f]{40}$/.test(revision);
}

/**
 * The address at which the hub serves a file.
 *
 * @example
 * fileAddress('https://huggingface.co', { repository: 'timm/resnet18.a1_in1k', revision: 'main', file: 'config.json' })
 * // 'https://huggingface.co/timm/resnet18.a1_in1k/resolve/main/config.json'
 */
export function fileAddress(endpoint: string, { repository, revision, file }: HubFile): string {
  const path = file.split('/').map(encodeURIComponent).join('/');
  return `${endpoint}/${repository}/resolve/${encodeURIComponent(revision)}/${path}`;
}

/**
 * Whether a path stays below its folder on every system: no root, no parent folders, no drive, no name
 * that a system would alter.
 */
function isRelativePath(path: string): boolean {
  return path
    .split('/')
    .every((part) => /^[^\\:*?"<>|\p{Cc}]{1,255}$/u.test(part) && !/^\.+$|[. ]$/.test(part));
}
