// What the server tells the page about the images of a run.

/** The splits that a run has scores for. */
export type LookSplit = 'validation' | 'test' | 'decision';

/** What stands before the numbers of a table; see {@link LookArrays}. */
export interface LookHead {
  readonly split: LookSplit;
  /** Splits with scores, of which the page offers a choice. */
  readonly splits: readonly LookSplit[];
  readonly classes: readonly string[];
  readonly names: readonly string[];
  /** The groups that rows belong to; empty if the data has none. */
  readonly groups: readonly string[];
  /** The probability from which each class is predicted if an image passes the gate; null for never. */
  readonly thresholds: readonly (number | null)[];
  /** The smallest probability of presence that alarms; null if none does. */
  readonly gate: number | null;
}

/** The numbers of a table, row by row, in the order in which they follow its head. */
export interface LookArrays {
  /** Probabilities, one per class. */
  readonly scores: Float32Array;
  /** The probability that any class is present. */
  readonly presence: Float32Array;
  /** An index into `groups`; -1 for none. */
  readonly group: Int32Array;
  /** 1 present, 0 absent, -1 unknown, one per class. */
  readonly targets: Int8Array;
  /** 1 for each predicted class. */
  readonly predicted: Uint8Array;
  /** 0 clear, 1 review, 2 alarm. */
  readonly outcome: Uint8Array;
}

/** A label that the model contradicts, in any split. */
export interface Suspect {
  readonly name: string;
  readonly split: string;
  readonly labels: readonly string[];
  /** Classes of which it is not known whether they are present. */
  readonly unknown: readonly string[];
  readonly class: string;
  /** `missing`: the class is not labeled but looks present; `wrong`: it is labeled but looks absent. */
  readonly kind: 'missing' | 'wrong';
  /** The model's probability, or the mean one over training. */
  readonly score: number;
}

/** Doubtful labels, those that cost most first. */
export interface Suspects {
  /** Whether test images are left out, because what the model says about them is sealed. */
  readonly isTestSealed: boolean;
  readonly suspects: readonly Suspect[];
}

/** Images that look alike, each set with the split and labels of its images; sets across splits or with different labels first. */
export interface LookAlikes {
  readonly sets: readonly (readonly {
    readonly name: string;
    readonly split: string;
    readonly labels: readonly string[];
    readonly unknown: readonly string[];
  }[])[];
}

/** Work in the background: not begun, how far it is, or done. */
export type Background<Result> =
  | { readonly state: 'working'; readonly done: number; readonly total: number }
  | { readonly state: 'failed'; readonly reason: string }
  | { readonly state: 'ready'; readonly result: Result };

/** The map of embeddings: a place from 0 to 1 for each image. */
export interface EmbeddingMap {
  readonly names: readonly string[];
  readonly x: readonly number[];
  readonly y: readonly number[];
  /** How the places were computed, in words. */
  readonly method: string;
}
