import { extname } from 'node:path';
import { npyPlace } from './npy.js';
import { safetensorsPlace } from './safetensorsMatrix.js';
import { openStoredMatrix, type StoredMatrix } from './storedMatrix.js';

/** Whether a file is a plain matrix of numbers, by its extension: `.npy` or `.safetensors`. */
export function isMatrixFile(path: string): boolean {
  return ['.npy', '.safetensors'].includes(extname(path).toLowerCase());
}

/**
 * Opens the matrix in a `.npy` or `.safetensors` file.
 *
 * @example
 * const { rows, names } = await openMatrix('features.npy');
 */
export function openMatrix(path: string): Promise<StoredMatrix> {
  return openStoredMatrix(path, extname(path).toLowerCase() === '.npy' ? npyPlace : safetensorsPlace);
}
