// Weights that others published for our networks, by name.

import { type NetworkName, networkDefinitions, networkNames } from '../catalog.js';
import type { PublishedWeights } from '../published/publishedWeights.js';

/** Lists all published weights with their network. */
export function allPublished(): { readonly network: NetworkName; readonly weights: PublishedWeights }[] {
  return networkNames.flatMap((network) =>
    (networkDefinitions[network].weights.published ?? []).map((weights) => ({ network, weights })),
  );
}

/**
 * Returns the network that matches a timm architecture.
 *
 * @example
 * networkOfArchitecture('vit_base_patch16_224') // 'vit-b-16'
 */
export function networkOfArchitecture(architecture: string): NetworkName | undefined {
  const isOf = ({ name }: PublishedWeights) => name.startsWith(`timm/${architecture}.`);
  return allPublished().find(({ weights }) => isOf(weights))?.network;
}
