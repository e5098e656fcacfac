import { FileError, isSystemError, WeightFileError } from '@anyclass/torch/files';

/**
 * Whether a file is at fault rather than the program: it is damaged, missing or not writable.
 *
 * @example
 * isFileError(new WeightFileError('model.safetensors', 'is truncated')) // true
 */
export function isFileError(error: unknown): boolean {
  return error instanceof FileError || error instanceof WeightFileError || isSystemError(error);
}
