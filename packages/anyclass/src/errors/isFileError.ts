import { FileError, isSystemError, WeightFileError } from '@anyclass/torch/files';

/**
 * Whether a file is at fault, and no mistake in the program: one that is damaged, missing or not to be written.
 *
 * @example
 * isFileError(new WeightFileError('model.safetensors', 'is cut short')) // true
 */
export function isFileError(error: unknown): boolean {
  return error instanceof FileError || error instanceof WeightFileError || isSystemError(error);
}
