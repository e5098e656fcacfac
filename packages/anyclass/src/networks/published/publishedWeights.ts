// What a network's file says about weights that others published for it.

/** What is known about published weights without a network request. What only the server knows is left out until then. */
export type PublishedWeights = PublishedFacts & (HubSource | AddressSource);

interface PublishedFacts {
  /** Name in a configuration, such as `timm/resnet18.a1_in1k`. */
  readonly name: string;
  /** Input size in pixels at training; next, the mean and deviation that images were normalized with. */
  readonly inputSize: number;
  readonly mean: readonly number[];
  readonly std: readonly number[];
  /** Number of classes of their last layer; 0 if they come without one. */
  readonly classes: number;
  /** Options that the network needs for them, where they differ from its defaults. */
  readonly options?: Readonly<Record<string, string | number>>;
  /** License as stated by the publisher; some forbid commercial use. */
  readonly license?: string;
  /** SHA-256, or its first digits if the publisher gives no more. */
  readonly sha256?: string;
  /** Size in bytes. */
  readonly size?: number;
}

/** `model.safetensors` in a hub repository. */
export interface HubSource {
  readonly repository: string;
  /** The commit; the branch main if unknown. */
  readonly revision?: string;
}

export interface AddressSource {
  readonly address: string;
  readonly sha256: string;
}
