// What `network.weights` may be: a published name, a hub file, an address with a hash, or a path.

import { nearest } from '../../errors/nearest.js';
import { UserError } from '../../errors/userError.js';
import { encryptedAddress } from '../../hub/encryptedAddress.js';
import { checkHubFile } from '../../hub/hubFile.js';
import type { NetworkName } from '../catalog.js';
import type { PublishedWeights } from '../published/publishedWeights.js';
import { allPublished } from './published.js';

export type WeightsName =
  | { readonly kind: 'published'; readonly network: NetworkName; readonly weights: PublishedWeights }
  /** Without `file`, the repository's weights, whatever their file name. */
  | { readonly kind: 'hub'; readonly repository: string; readonly revision: string; readonly file?: string }
  | { readonly kind: 'address'; readonly address: string; readonly sha256: string }
  | { readonly kind: 'path'; readonly path: string };

/**
 * Parses the name of weights.
 *
 * @throws UserError if it is not valid, with the nearest valid name
 *
 * @example
 * parseWeights('hf:timm/resnet18.a1_in1k@main') // { kind: 'hub', repository: 'timm/resnet18.a1_in1k', revision: 'main' }
 * parseWeights('runs/sewer') // { kind: 'path', path: 'runs/sewer' }
 */
export function parseWeights(text: string): WeightsName {
  if (hubPrefix.test(text)) return hubName(text);
  if (webPrefix.test(text)) return addressName(text);
  if (isPublishedName(text)) return publishedName(text);
  return { kind: 'path', path: text };
}

/**
 * Whether weights are given as a path, which may be relative, rather than a name. `./timm/…` is always a path.
 *
 * @example
 * isWeightsPath('timm/resnet18.a1_in1k') // false
 */
export function isWeightsPath(text: string): boolean {
  return !hubPrefix.test(text) && !webPrefix.test(text) && !isPublishedName(text);
}

const hubPrefix = /^hf:/;
const webPrefix = /^https?:/i;
const publishers = /^(timm|torchvision)\//;
const fileEnding = /\.(safetensors|pth?|ckpt|bin)$/;

function isPublishedName(text: string): boolean {
  return publishers.test(text) && !fileEnding.test(text);
}

function publishedName(name: string): WeightsName {
  const all = allPublished();
  const found = all.find(({ weights }) => weights.name === name.toLowerCase());
  if (found) return { kind: 'published', ...found };
  const close = nearest(
    name,
    all.map(({ weights }) => weights.name),
  );
  const publisher = publishers.exec(name)?.[1];
  const hint = close ? `; did you mean '${close}'?` : '';
  const others = publisher === 'timm' ? `; any hub repository can be given as hf:${name}@main` : '';
  throw new UserError(`no published weights '${name}' for our networks${hint || others}`, {
    ...(!close && { next: { command: 'weights', options: { action: 'list' } } }),
  });
}

function hubName(text: string): WeightsName {
  const [, repository, revision, file] = /^hf:([^@:]+)@([^:]+)(?::(.+))?$/.exec(text) ?? [];
  if (repository === undefined || revision === undefined) {
    const hint = /^hf:[\w.-]+\/[\w.-]+$/.test(text) ? `; for example, ${text}@main` : '';
    throw new UserError(`'${text}': expected hf:OWNER/NAME@REVISION or hf:OWNER/NAME@REVISION:FILE${hint}`);
  }
  checkHubFile({ repository, revision, file: file ?? 'model.safetensors' });
  return { kind: 'hub', repository, revision, ...(file !== undefined && { file }) };
}

function addressName(text: string): WeightsName {
  const [address = '', fragment = ''] = text.split('#');
  encryptedAddress(address);
  const sha256 = /^sha256=([0-9a-f]{64})$/i.exec(fragment)?.[1]?.toLowerCase();
  if (sha256 === undefined) {
    throw new UserError(
      `${address}: expected #sha256=HASH after it, with 64 digits; 'sha256sum FILE' prints them`,
    );
  }
  return { kind: 'address', address, sha256 };
}
