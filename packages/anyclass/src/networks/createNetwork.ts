import { nn, tidy } from '@anyclass/torch';
import { z } from 'zod';
import { expectation } from '../errors/expectation.js';
import { UserError } from '../errors/userError.js';
import {
  type CompleteNetworkOptions,
  definitionOf,
  isNetworkName,
  type NetworkName,
  type NetworkOptions,
  networkDefinitions,
  networkNames,
  optionDefaults,
} from './catalog.js';
import { headNames, mapHeads } from './layers/classHead.js';
import type { Tiling } from './layers/tiles.js';
import { tilingFields } from './layers/tilingFields.js';
import type { Network } from './network.js';
import { positiveInteger } from './optionFields.js';

/**
 * Builds a network with fresh weights; the same `setSeed` gives the same weights.
 *
 * @example
 * const network = createNetwork('tresnet-m', { classes: 14 });
 * network.parameterCount() // 29368718
 * network.forward(zeros([2, 3, 224, 224])).shape // [2, 14]
 */
export function createNetwork(name: NetworkName, options: NetworkOptions): Network {
  if (!isNetworkName(name)) {
    throw new UserError(`no such network '${String(name)}'; expected one of ${networkNames.join(', ')}`);
  }
  refuseForeignOptions(name, options);
  const complete = { ...defaultsOf(name), ...options };
  refuseBadValues(name, complete);
  return tidy(() => networkDefinitions[name].build(complete));
}

/** Builds a network whose weights are loaded next; until then most are zeros. */
export function buildNetwork(name: NetworkName, options: CompleteNetworkOptions): Network {
  return nn.init.withoutDrawing(() => tidy(() => networkDefinitions[name].build(options)));
}

/**
 * Completes the options that a file names, which may come from anywhere.
 *
 * @throws UserError that names the option and what it takes
 */
export function optionsOfFile(
  name: NetworkName,
  given: Readonly<Record<string, unknown>>,
): CompleteNetworkOptions {
  const complete = Object.assign({ classes: 0, ...defaultsOf(name) }, given);
  refuseBadValues(name, complete);
  return complete;
}

/** Builds a network like another, whose weights are loaded next. */
export function buildAlike(network: Network): Network {
  return nn.init.withoutDrawing(() => tidy(() => definitionOf(network).build({ ...network.options })));
}

function defaultsOf(name: NetworkName) {
  return { inputSize: 224, channels: 3, head: 'linear' as const, mirror: false, ...optionDefaults(name) };
}

const sharedFields = {
  classes: positiveInteger,
  inputSize: positiveInteger,
  channels: positiveInteger,
  head: z.enum(headNames, `expected one of ${headNames.join(', ')}`),
  mirror: z.boolean('expected true or false'),
  tiles: tilingFields.nullish(),
};

function refuseForeignOptions(name: NetworkName, options: NetworkOptions): void {
  const own = Object.keys({ ...sharedFields, ...networkDefinitions[name].options });
  const given = Object.keys(options).filter((option) => Reflect.get(options, option) !== undefined);
  const foreign = given.find((option) => !own.includes(option));
  if (foreign === undefined) return;
  const takers = networkNames.filter((other) => Object.hasOwn(networkDefinitions[other].options, foreign));
  const advice = takers.length > 0 ? `it is an option of ${takers.join(', ')}` : `it takes ${own.join(', ')}`;
  throw new UserError(`${name} has no option ${foreign}; ${advice}`);
}

function refuseBadValues(name: NetworkName, options: CompleteNetworkOptions): void {
  if (options.tiles) refuseBadTiles(name, options.inputSize, options.tiles);
  if (options.mirror && networkDefinitions[name].input === 'features') {
    throw new UserError(
      `${name}: mirror is true, but it takes features, which have no mirror image; leave it out`,
    );
  }
  if (mapHeads.includes(options.head) && networkDefinitions[name].input === 'features') {
    throw new UserError(
      `${name}: head is ${options.head}, which needs maps of images; use linear or experts`,
    );
  }
  const fields = z.object({ ...sharedFields, ...networkDefinitions[name].options });
  const issue = fields.safeParse(options).error?.issues[0];
  if (issue === undefined) return;
  const field = issue.path.join('.');
  throw new UserError(`${name}: ${field} is ${String(Reflect.get(options, field))}; ${expectation(issue)}`);
}

function refuseBadTiles(name: NetworkName, inputSize: number, { imageSize, overlap }: Tiling): void {
  if (networkDefinitions[name].input === 'features')
    throw new UserError(`${name}: tiles are cut from images, but it takes features; leave them out`);
  if (imageSize <= inputSize)
    throw new UserError(
      `${name}: tiles.imageSize is ${imageSize}; expected more than inputSize, ${inputSize}, which is the size of a tile`,
    );
  if (overlap >= inputSize)
    throw new UserError(
      `${name}: tiles.overlap is ${overlap}; expected less than the size of a tile, ${inputSize}`,
    );
}
