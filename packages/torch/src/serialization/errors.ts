// What goes wrong with a weight file. A message starts with the file and says where in it the fault lies.

import { WeightFileError } from '../files/weightFileError.js';

export { WeightFileError };

/** A safetensors file that breaks the format, or tensors that it cannot hold. */
export class SafetensorsError extends WeightFileError {
  override readonly name = 'SafetensorsError';
}

/** A PyTorch checkpoint that is damaged, hostile or of a kind that is not read. */
export class CheckpointError extends WeightFileError {
  override readonly name = 'CheckpointError';
}

/**
 * Text from a file as it may be in a message: quoted, without control characters, and not endless.
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
