// What file system errors mean and what to do about them; all messages about files come from here.

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'no such file or folder',
  ENOTDIR: 'part of the path is a file, not a folder',
  EISDIR: 'it is a folder',
  EEXIST: 'a file of that name already exists',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the disk is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EFBIG: 'the file would be too large',
  ENAMETOOLONG: 'the name is too long',
  ELOOP: 'the link points back to itself',
  EMFILE: 'too many files are open',
  ENFILE: 'too many files are open',
  EIO: 'the disk reported an error',
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

export interface FileErrorOptions extends ErrorOptions {
  /** The system's code, such as ENOSPC, if the problem comes from the system. */
  readonly code?: string | undefined;
}

/** A file could not be read or written, or is damaged; the message has its path, the cause and what to do. */
export class FileError extends Error {
  override readonly name: string = 'FileError';
  readonly path: string;
  readonly code: string | undefined;

  constructor(path: string, problem: string, { code, ...options }: FileErrorOptions = {}) {
    super(`${path}: ${problem}`, options);
    this.path = path;
    this.code = code;
  }
}

/**
 * Runs file operations and rethrows system errors as a FileError with the given path. The system's own message has no
 * name for an open file, and for a draft a name that the user does not know.
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

/** Turns a system error into a FileError with the given path; returns any other error as it is. */
export function namedError(path: string, error: unknown): unknown {
  if (!isSystemError(error)) return error;
  const problem = `${fileProblem(error)}${remedyOf(error)}`;
  return new FileError(path, problem, { code: errorCode(error), cause: error });
}

/** Whether an error comes from the operating system; such errors name the system call. */
export function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error && typeof error.syscall === 'string';
}

/**
 * Returns what to do about a file system error, to append to its reason; '' if there is no advice.
 *
 * @example
 * `${fileProblem(error)}${remedyOf(error)}` // 'the disk is full; make room or choose another path'
 */
export function remedyOf(error: unknown): string {
  const remedy = remedies[errorCode(error) ?? ''];
  return remedy === undefined ? '' : `; ${remedy}`;
}

/** Returns the system's code for an error, such as ENOENT. */
export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/**
 * Returns why a file could not be read or written, without its name, which may be a draft's that the user does not know.
 *
 * @example
 * fileProblem(error) // 'the disk is full'
 */
export function fileProblem(error: unknown): string {
  const code = errorCode(error);
  if (code !== undefined && reasons[code] !== undefined) return reasons[code];
  return error instanceof Error ? error.message : String(error);
}
