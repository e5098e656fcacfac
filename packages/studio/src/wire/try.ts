// What the server tells the page about an image that someone drops.

/** A heat map over the image, as data URLs. */
export interface TriedMap {
  /** A class, or `presence`. */
  readonly target: string;
  readonly probability: number;
  readonly method: string;
  readonly picture: string;
}

export interface Tried {
  /** By which its neighbors are asked for. */
  readonly id: string;
  readonly image: string;
  readonly labels: readonly string[];
  readonly outcome: 'clear' | 'review' | 'alarm';
  /** Why it is odd; null for a usual image, or without a guard. */
  readonly odd: string | null;
  readonly presence: { readonly probability: number; readonly gate: number };
  readonly classes: readonly {
    readonly name: string;
    readonly probability: number;
    readonly threshold: number | null;
  }[];
  readonly maps: readonly TriedMap[];
}

/** Images of validation that the model sees alike, the nearest first. */
export interface Neighbors {
  readonly among: number;
  readonly neighbors: readonly { readonly name: string; readonly similarity: number }[];
}
