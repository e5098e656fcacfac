import { accessSync, constants, statSync } from 'node:fs';
import { fileProblem } from '@anyclass/files';
import { UserError } from '../errors/userError.js';
import { unusualKind } from './fileKind.js';

/**
 * Throws if a file cannot be read, or would never end.
 *
 * @param option what the user calls it, for the message
 *
 * @example
 * checkInputFile('nowhere.csv', '--scores') // UserError: --scores nowhere.csv cannot be read: no such file or folder
 */
export function checkInputFile(path: string, option?: string): void {
  try {
    const found = statSync(path);
    if (found.isDirectory()) throw new UserError('it is a folder');
    // A pipe may come from a shell: <(cut -d, -f1 classes.csv). What reads a file more than once refuses it.
    const kind = found.isFIFO() ? undefined : unusualKind(found);
    if (kind !== undefined) throw new UserError(`it is ${kind}`);
    accessSync(path, constants.R_OK);
  } catch (error) {
    const name = option === undefined ? path : `${option} ${path}`;
    throw new UserError(`${name} cannot be read: ${fileProblem(error)}`);
  }
}

/**
 * Throws if the folder that `option` names does not exist.
 *
 * @example
 * checkInputFolder('--in', 'nowhere') // UserError: --in nowhere cannot be read: no such file or folder
 */
export function checkInputFolder(option: string, path: string): void {
  try {
    if (!statSync(path).isDirectory()) throw new UserError('it is a file, not a folder');
  } catch (error) {
    throw new UserError(`${option} ${path} cannot be read: ${fileProblem(error)}`);
  }
}
