// A configuration from a file or a recipe, with what the command line changes.

import { existsSync, readFileSync } from 'node:fs';
import { extname, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { nearest } from '../commandLine/nearest.js';
import { UserError } from '../userError.js';
import { isPlainObject, merged, type PlainObject, withOverrides } from './overrides.js';
import { recipe, recipeNames } from './recipes.js';
import type { Configuration } from './schema.js';
import { validateConfiguration } from './validate.js';

export interface ReadOptions {
  /** In place of the file's `data.dataset`. */
  readonly dataset?: string | undefined;
  /** `field=value`, one after another. */
  readonly set?: readonly string[];
}

/**
 * The configuration that a recipe's name or a `.json`, `.mjs` or `.ts` file stands for. A file may build on a recipe:
 * its field `recipe` names it.
 *
 * @example
 * const configuration = await readConfiguration('quick', { set: ['epochs=2'] });
 * configuration.network.name // 'tresnet-s'
 */
export async function readConfiguration(source: string, options: ReadOptions = {}): Promise<Configuration> {
  const given = recipe(source) ?? (await readFile(source));
  const changes = options.dataset === undefined ? {} : { data: { dataset: options.dataset } };
  const changed = withOverrides(merged(given, changes), options.set ?? []);
  const missing = isPlainObject(changed['data']) ? changed['data']['dataset'] === undefined : true;
  if (missing) throw new UserError(`${source} does not name the data: add --data DATASET`);
  return validateConfiguration(changed, source);
}

async function readFile(path: string): Promise<PlainObject> {
  if (!existsSync(path)) {
    const close = nearest(path, recipeNames);
    const hint = close ? `did you mean the recipe '${close}'?` : `the recipes are ${recipeNames.join(', ')}`;
    throw new UserError(`${path}: there is no such file and no such recipe; ${hint}`);
  }
  const content = await contentOf(path);
  if (!isPlainObject(content)) throw new UserError(`${path}: expected an object with the fields of a run`);
  const { recipe: base, ...fields } = content;
  if (base === undefined) return fields;
  const known = typeof base === 'string' ? recipe(base) : undefined;
  if (!known)
    throw new UserError(
      `${path}: recipe: there is no ${JSON.stringify(base)}; there are ${recipeNames.join(', ')}`,
    );
  return merged(known, fields);
}

async function contentOf(path: string): Promise<unknown> {
  const kind = extname(path);
  if (kind === '.json') return parseJson(path);
  if (kind === '.mjs' || kind === '.js') return importDefault(path);
  if (kind === '.ts' || kind === '.mts') {
    if (Reflect.get(process.features, 'typescript')) return importDefault(path);
    throw new UserError(
      `${path}: Node ${process.version} runs no TypeScript (22.18 does): write the configuration as .mjs or .json`,
    );
  }
  throw new UserError(`${path}: expected a .json, .mjs or .ts file`);
}

function parseJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new UserError(`${path}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

async function importDefault(path: string): Promise<unknown> {
  const module: Record<string, unknown> = await import(pathToFileURL(resolve(path)).href);
  if (module['default'] === undefined) {
    throw new UserError(`${path}: has no default export; write 'export default defineConfig({ … })'`);
  }
  return module['default'];
}
