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
 * Returns weights of a timm architecture, and the network that matches it.
 *
 * @example
 * ofArchitecture('vit_base_patch16_224')?.network // 'vit-b-16'
 */
export function ofArchitecture(architecture: string): ReturnType<typeof allPublished>[number] | undefined {
  return allPublished().find(({ weights }) => weights.name.startsWith(`timm/${architecture}.`));
}
