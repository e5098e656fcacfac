// Weights that others published for our networks, by name.

import { type NetworkName, networkDefinitions, networkNames } from '../catalog.js';

/** What is known of published weights without asking anybody. What only the server knows is left out until it was asked. */
export type PublishedWeights = PublishedFacts & (HubSource | AddressSource);

interface PublishedFacts {
  /** As a configuration names them, such as `timm/resnet18.a1_in1k`. */
  readonly name: string;
  /** What they were trained with: pixels, and the mean and deviation that images were normalized by. */
  readonly inputSize: number;
  readonly mean: readonly number[];
  readonly std: readonly number[];
  /** Of their own last layer, 0 where they come without. */
  readonly classes: number;
  /** As the publisher states it; one that forbids commercial use is worth knowing. */
  readonly license?: string;
  /** SHA-256; its first digits where the publisher tells no more. */
  readonly sha256?: string;
  /** Bytes. */
  readonly size?: number;
}

/** `model.safetensors` in a repository of the hub. */
export interface HubSource {
  readonly repository: string;
  /** The commit; the branch main where it is not known. */
  readonly revision?: string;
}

export interface AddressSource {
  readonly address: string;
  readonly sha256: string;
}

/** All published weights, with the network that they are of. */
export function allPublished(): { readonly network: NetworkName; readonly weights: PublishedWeights }[] {
  return networkNames.flatMap((network) =>
    (networkDefinitions[network].weights.published ?? []).map((weights) => ({ network, weights })),
  );
}

/**
 * The network that has weights of a timm architecture.
 *
 * @example
 * networkOfArchitecture('vit_base_patch16_224') // 'vit-b-16'
 */
export function networkOfArchitecture(architecture: string): NetworkName | undefined {
  const isOf = ({ name }: PublishedWeights) => name.startsWith(`timm/${architecture}.`);
  return allPublished().find(({ weights }) => isOf(weights))?.network;
}
