// Class names as a user gives them: in a file, or comma-separated.

import { existsSync, readFileSync, statSync } from 'node:fs';
import { UserError } from '../errors/userError.js';
import { checkInputFile } from '../files/inputs.js';
import { parsedJson } from '../files/wholeFile.js';

/**
 * Reads class names from a text: the path of a file with one name per line or a JSON list, or else
 * comma-separated names.
 *
 * @example
 * readClassList('crack, roots') // ['crack', 'roots']
 * readClassList('classes.txt')
 */
export function readClassList(text: string): string[] {
  const isFile = existsSync(text) && !statSync(text).isDirectory();
  if (isFile) checkInputFile(text);
  if (!isFile && /[/\\]|\.(txt|json|csv)$/.test(text)) throw new UserError(`${text}: no such file`);
  const names = isFile ? namesIn(text) : text.split(',');
  const place = (i: number) => (isFile ? `${text}, class ${i + 1}` : `class ${i + 1} of '${text}'`);
  return names.map((given, i) => {
    const name = given.trim();
    if (name === '') throw new UserError(`${place(i)}: has no name`);
    const first = names.findIndex((other) => other.trim() === name);
    if (first < i) throw new UserError(`${place(i)}: '${name}' is already class ${first + 1}`);
    return name;
  });
}

function namesIn(path: string): string[] {
  const text = readFileSync(path, 'utf8');
  if (!path.endsWith('.json')) return text.trim().split('\n');
  const list = parsedJson(text);
  if (!Array.isArray(list) || !list.every((name) => typeof name === 'string')) {
    throw new UserError(`${path}: expected a JSON list of names, such as ["crack", "roots"]`);
  }
  return list;
}
