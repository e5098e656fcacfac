// config.json, beside an exported file: the same description, for programs that do not read the metadata of ONNX files.

import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { UserError } from '../../errors/userError.js';
import { parsedJson, writeWhole } from '../../files/wholeFile.js';
import type { OnnxDescription } from './exportedModel.js';

/** Writes the description of an exported file, and its name, to the path from `configPath`. */
export function writeConfig(path: string, out: string, model: OnnxDescription): void {
  writeWhole(path, `${JSON.stringify({ file: basename(out), ...model }, null, 2)}\n`);
}

/**
 * Where the description of a model is written: config.json, unless that describes another model.
 *
 * @throws UserError if it would overwrite the file of a run or of another program
 */
export function configPath(out: string): string {
  const shared = join(dirname(out), 'config.json');
  return describes(shared, out) ? shared : ownConfigPath(out);
}

function ownConfigPath(out: string): string {
  const path = join(dirname(out), `${basename(out, '.onnx')}.config.json`);
  describes(path, out);
  return path;
}

/** Whether a config.json may describe a file: it does so already, or describes nothing that exists. */
function describes(path: string, out: string): boolean {
  if (!existsSync(path)) return true;
  const found = parsedJson(readFileSync(path, 'utf8'));
  if (typeof found !== 'object' || found === null || Reflect.get(found, 'format') !== 'anyclass') {
    throw new UserError(
      `${path} exists and does not describe an exported model; choose another folder for ${out}, since a config.json is written next to it`,
    );
  }
  const file: unknown = Reflect.get(found, 'file');
  return (
    typeof file !== 'string' || file === basename(out) || !existsSync(join(dirname(out), basename(file)))
  );
}
