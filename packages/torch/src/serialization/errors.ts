// Errors in weight files. A message starts with the file name and says where in the file the problem is.

import { FileError } from '@anyclass/files';

/** A weight file cannot be read or written. `SafetensorsError` and `CheckpointError` are its two subclasses. */
export class WeightFileError extends FileError {
  override readonly name: string = 'WeightFileError';
}

/** A safetensors file violates the format, or cannot hold the given tensors. */
export class SafetensorsError extends WeightFileError {
  override readonly name = 'SafetensorsError';
}

/** A PyTorch checkpoint is damaged, hostile or of an unsupported kind. */
export class CheckpointError extends WeightFileError {
  override readonly name = 'CheckpointError';
}

/**
 * Makes text from a file safe for a message: quoted, without control characters, and limited in length.
 *
 * @example
 * quoted('fc.weight') // '"fc.weight"'
 */
export function quoted(text: string): string {
  const longest = 200;
  return JSON.stringify(text.length > longest ? `${text.slice(0, longest)}…` : text).replace(
    /[\u007f-\u009f\u2028-\u202e]/g,
    (control) => `\\u${control.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
