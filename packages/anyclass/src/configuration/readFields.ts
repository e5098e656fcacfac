// Reads the fields of a configuration from a file or a recipe, with overrides.

import { existsSync, readFileSync } from 'node:fs';
import { dirname, extname, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { fileProblem } from '@anyclass/files';
import stripJsonComments from 'strip-json-comments';
import { nearest } from '../errors/nearest.js';
import { messageOf } from '../errors/reasonOf.js';
import { UserError } from '../errors/userError.js';
import { checkInputFile } from '../files/inputs.js';
import { parseJson } from '../files/json.js';
import { isNetworkName } from '../networks/catalog.js';
import { isPlainObject, merged, type PlainObject, type Settings, withSettings } from './overrides.js';
import { pathsFromFile } from './paths.js';
import {
  fineTuningFields,
  isPaperNetwork,
  paperDatasetOf,
  paperRecipe,
  paperRecipeName,
  recipe,
  recipeNames,
} from './recipes.js';
import type { Configuration } from './schema.js';
import { configurationProblems, problemText, validateConfiguration } from './validate.js';

export interface ReadOptions {
  /** Replaces the file's `data.dataset`. */
  readonly dataset?: string | undefined;
  /** Values by dotted field name, applied in order; paths are relative to the current folder. */
  readonly set?: Settings | undefined;
}

/** The fields of a configuration before its weights have their say. */
export interface ConfigurationSource {
  readonly fields: PlainObject;
  /**
   * The configuration with these fields: the source's own, and what its weights determine.
   *
   * @throws UserError that names all mistakes, and the source
   */
  complete(fields: PlainObject): Configuration;
}

/**
 * Reads the fields of a recipe, by name, or of a `.json`, `.jsonc`, `.mjs` or `.ts` file. JSON may have
 * comments. A file may build on a recipe, named by its field `recipe`. Paths in a file are relative to that
 * file.
 *
 * @example
 * const { fields, complete } = await readFields('quick', { set: { epochs: 2 } });
 * complete(fields).network.name // 'tresnet-s'
 */
export async function readFields(source: string, options: ReadOptions = {}): Promise<ConfigurationSource> {
  const { base, fields: given } = await readSource(source);
  const changes = options.dataset === undefined ? {} : { data: { dataset: options.dataset } };
  const own = merged(given, changes);
  return {
    fields: withSettings(own, options.set ?? {}),
    complete(fields) {
      if (!namesData(fields)) throw dataMissing(source, fields);
      const whole = base === 'fine-tuning' ? withConventions(source, fields) : fields;
      const configuration = validateConfiguration(whole, blamed(source, own, fields));
      if (base !== undefined) refuseOtherRecipe(source, base, given, configuration);
      return configuration;
    },
  };
}

/** The fields with what is usual for the network to train further, where they say nothing themselves. */
function withConventions(source: string, fields: PlainObject): PlainObject {
  const network = isPlainObject(fields['network']) ? fields['network'] : {};
  const { weights, name, freezeTrunk } = network;
  if (weights === undefined) {
    throw new UserError(`${source}: network.weights is missing; fine-tuning starts from weights`, {
      setting: 'network.weights=FILE',
    });
  }
  if (typeof name !== 'string' || !isNetworkName(name)) {
    throw new UserError(
      `${source}: network.weights ${String(weights)} do not say which network they belong to; name it`,
      { setting: 'network.name=NAME' },
    );
  }
  // A trunk that never trains needs no epochs of its own.
  const frozen = freezeTrunk === true ? { network: { frozenEpochs: 0 } } : {};
  return merged(merged(fineTuningFields(name), frozen), fields);
}

function dataMissing(source: string, fields: PlainObject): UserError {
  const message = `${source}: data.dataset is missing`;
  const others = configurationProblems(fields).filter(
    (problem) => problem !== 'data is missing' && problem !== 'data.dataset is missing',
  );
  return new UserError(others.length > 0 ? problemText(`${message}. Also`, others) : message, {
    setting: 'data.dataset=DATASET',
  });
}

/**
 * A recipe of the paper is specific to its network and data: options that select another pair of the paper
 * would train it with the wrong recipe. What a file itself sets is accepted.
 */
function refuseOtherRecipe(
  source: string,
  base: string,
  given: PlainObject,
  { data, network }: Configuration,
): void {
  const own = paperRecipe(base);
  if (!own) return;
  const isFromFile = source !== base;
  const isOwnNetwork = isPlainObject(given['network']) && given['network']['name'] === own.network;
  const wanted = paperRecipeName({
    dataset: (isFromFile ? undefined : paperDatasetOf(data.dataset)) ?? own.dataset,
    network: isOwnNetwork && isPaperNetwork(network.name) ? network.name : own.network,
  });
  if (wanted === base) return;
  const told = isFromFile ? `${source} builds on ${base}, which` : base;
  throw new UserError(`${told} is the recipe of ${own.network} on ${own.dataset}; use ${wanted} instead`);
}

/** Data that is not an object is reported separately. */
function namesData({ data }: PlainObject): boolean {
  return data !== undefined && (!isPlainObject(data) || data['dataset'] !== undefined);
}

/** The source that a message names: not the file alone if the options introduced a mistake. */
function blamed(source: string, own: PlainObject, changed: PlainObject): string {
  const known = configurationProblems(own);
  const isOwn = configurationProblems(changed).every((problem) => known.includes(problem));
  return isOwn ? source : `${source} with the given options`;
}

interface Source {
  /** The recipe that it is or builds on. */
  readonly base?: string;
  readonly fields: PlainObject;
}

async function readSource(source: string): Promise<Source> {
  const fields = recipe(source);
  return fields ? { base: source, fields } : readFile(source);
}

async function readFile(path: string): Promise<Source> {
  if (!existsSync(path)) {
    const close = nearest(path, recipeNames);
    const hint = close ? `did you mean the recipe '${close}'?` : `the recipes are ${recipeNames.join(', ')}`;
    throw new UserError(`${path}: no such file or recipe; ${hint}`);
  }
  const content = await contentOf(path);
  if (!isPlainObject(content)) throw new UserError(`${path}: expected an object with configuration fields`);
  const { recipe: base, ...own } = content;
  const fields = pathsFromFile(own, dirname(path));
  if (base === undefined) return { fields };
  const known = typeof base === 'string' ? recipe(base) : undefined;
  if (!known || typeof base !== 'string')
    throw new UserError(
      `${path}: recipe: no such recipe ${JSON.stringify(base)}; choose one of ${recipeNames.join(', ')}`,
    );
  return { base, fields: merged(known, fields) };
}

async function contentOf(path: string): Promise<unknown> {
  const kind = extname(path);
  if (kind === '.json' || kind === '.jsonc') return readJson(path);
  if (kind === '.mjs' || kind === '.js') return importDefault(path);
  if (kind === '.ts' || kind === '.mts') {
    if (Reflect.get(process.features, 'typescript')) return importDefault(path);
    throw new UserError(
      `${path}: Node ${process.version} cannot run TypeScript; use Node 22.18 or newer, or write the configuration as .mjs or .json`,
    );
  }
  throw new UserError(`${path}: expected a .json, .jsonc, .mjs or .ts file`);
}

function readJson(path: string): unknown {
  checkInputFile(path);
  try {
    // Comments become spaces, so that positions in messages match the file.
    return parseJson(stripJsonComments(readFileSync(path, 'utf8')));
  } catch (error) {
    throw new UserError(`${path}: ${fileProblem(error)}`);
  }
}

async function importDefault(path: string): Promise<unknown> {
  const { href } = pathToFileURL(resolve(path));
  const module: Record<string, unknown> = await import(href).catch((error: unknown) => {
    throw new UserError(`${path}${lineIn(error, href)}: ${messageOf(error)}`);
  });
  if (module['default'] === undefined) {
    throw new UserError(`${path}: no default export; write 'export default defineConfig({ … })'`);
  }
  return module['default'];
}

/** The line of a module where an error was thrown, from its stack. */
function lineIn(error: unknown, href: string): string {
  const stack = error instanceof Error ? (error.stack ?? '') : '';
  const at = stack.indexOf(`${href}:`);
  const line = at < 0 ? undefined : /^\d+/.exec(stack.slice(at + href.length + 1))?.[0];
  return line === undefined ? '' : `, line ${line}`;
}
