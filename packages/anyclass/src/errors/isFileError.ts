import { FileError, isSystemError } from '@anyclass/files';

/**
 * Whether a file is at fault rather than the program: it is damaged, missing or not writable.
 *
 * @example
 * isFileError(new FileError('model.safetensors', 'is truncated')) // true
 */
export function isFileError(error: unknown): boolean {
  return error instanceof FileError || isSystemError(error);
}
