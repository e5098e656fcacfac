// The one place that says what errors of the file system mean and what to do about them.

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
  ESTALE: 'the network share has lost the file',
  ENXIO: 'the device is gone',
  ENODEV: 'the device is gone',
  ETIMEDOUT: 'the storage does not answer',
  EBUSY: 'it is in use',
};

const remedies: Readonly<Record<string, string>> = {
  EACCES: 'change its permissions or choose another path',
  EPERM: 'change its permissions or choose another path',
  EROFS: 'mount it for writing or choose another path',
  ENOSPC: 'make room or choose another path',
  EDQUOT: 'make room or choose another path',
  EMFILE: "raise the limit with 'ulimit -n'",
  ENFILE: 'close other programs',
  EIO: 'check the disk',
  ESTALE: 'check the network share',
  ENXIO: 'check the disk',
  ENODEV: 'check the disk',
  ETIMEDOUT: 'check the network share',
};

/** A file that could not be read or written: the message has its path, the cause and what to do. */
export class FileError extends Error {
  override readonly name = 'FileError';
  readonly path: string;
  readonly code: string;

  constructor(path: string, code: string, cause: unknown) {
    super(`${path}: ${fileProblem(cause)}${remedyOf(cause)}`, { cause });
    this.path = path;
    this.code = code;
  }
}

/**
 * Does something with a file. What the system refuses is thrown with the file's name, in words: of an open file it tells none, and of
 * a draft one that nobody knows.
 *
 * @example
 * withPath('model.safetensors', () => writeSync(descriptor, bytes)) // FileError: model.safetensors: the disk is full; make room …
 */
export function withPath<Result>(path: string, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw namedError(path, error);
  }
}

/** An error of the system with the name of the file that it is about; any other as it is. */
export function namedError(path: string, error: unknown): unknown {
  const code = isSystemError(error) ? errorCode(error) : undefined;
  return code === undefined ? error : new FileError(path, code, error);
}

/** Whether the system refused something: such an error has its call. */
export function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error && typeof error.syscall === 'string';
}

/**
 * What to do about an error of the file system, to follow its reason; '' where nothing is known.
 *
 * @example
 * `${fileProblem(error)}${remedyOf(error)}` // 'the disk is full; make room or choose another path'
 */
export function remedyOf(error: unknown): string {
  const remedy = remedies[errorCode(error) ?? ''];
  return remedy === undefined ? '' : `; ${remedy}`;
}

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
