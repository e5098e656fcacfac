const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'no such file or folder',
  ENOTDIR: 'a part of the path is a file, not a folder',
  EISDIR: 'it is a folder',
  EEXIST: 'there is a file of that name',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the disk is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EFBIG: 'the file would be too large',
  ENAMETOOLONG: 'the name is too long',
  ELOOP: 'the link leads back to itself',
  EMFILE: 'too many files are open',
  ENFILE: 'too many files are open',
  EIO: 'the disk reports an error',
};

/** The system's name of what went wrong, such as ENOENT. */
export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/**
 * Why a file could not be read or written, in words and without its name: that may be of a draft that nobody knows.
 *
 * @example
 * fileProblem(error) // 'the disk is full'
 */
export function fileProblem(error: unknown): string {
  const code = errorCode(error);
  if (code !== undefined && reasons[code] !== undefined) return reasons[code];
  return error instanceof Error ? error.message : String(error);
}
