import type { CorrectionCount, SplitName } from '../data/dataset/dataset.js';
import type { LevelStatistics } from '../data/images/levelSurvey.js';
import type { Quarantined } from '../events/runSummary.js';
import type { NetworkName } from '../networks/catalog.js';
import type { InputView } from './inputAdvice.js';
import type { PromisableWith } from './promisableWith.js';

/** Instances of a split, or of all splits together. */
export interface SplitCount {
  readonly split: SplitName | 'all';
  readonly positive: number;
  readonly negative: number;
  /** Instances without a class known to be present, but with unknown labels. */
  readonly undecided: number;
  readonly total: number;
  /** Number of distinct groups (patients, videos…), if the dataset has groups. */
  readonly groups?: number;
}

/** Positive instances of a class (or of a family of classes) by split. */
export interface ClassCount {
  readonly name: string;
  readonly train: number;
  readonly validation: number;
  readonly test: number;
  /** Only if the dataset has such a split. */
  readonly decision?: number;
  /** Annotated objects over all splits, if known. */
  readonly annotations?: number;
}

/** A class's labels other than 0 and 1, over all splits. */
export interface LabelCount {
  readonly name: string;
  /** Labels that were not given, and uncertain ones that are read as unknown. */
  readonly unknown: number;
  /** Labels that are -1 in the table, however they are read. */
  readonly uncertain: number;
  /** Labels between 0 and 1. */
  readonly soft: number;
}

/** Something to look at before training. */
export interface Problem {
  readonly kind:
    | 'unreadable'
    | 'duplicate'
    | 'duplicate-across-splits'
    | 'duplicate-labels-differ'
    | 'near-duplicate'
    | 'near-duplicate-across-splits'
    | 'near-duplicate-labels-differ'
    | 'one-color'
    | 'no-window'
    | 'unfit-window'
    | 'frames'
    | 'overclaimed-size'
    | 'suspect-label'
    | 'group-across-splits'
    | 'constant-feature'
    | 'missing-feature'
    | 'rare-class'
    | 'no-positives'
    | 'no-validation'
    | 'scarce-validation'
    | 'scarce-class'
    | 'unsplit'
    | 'reader';
  readonly text: string;
  readonly count: number;
  readonly examples: readonly string[];
}

/** An image in a set of similar ones, or one with a doubtful label. */
export interface FoundImage {
  readonly row: number;
  readonly name: string;
  readonly split: SplitName | undefined;
  /** The classes that are present. */
  readonly labels: readonly string[];
}

/** What contradicts a label: scores of a held-out image, or the margins of a training image over the epochs. */
export type SuspectSource = 'scores' | 'margins';

/** A label that contradicts a model. */
export interface LabelSuspect extends FoundImage {
  readonly class: string;
  readonly source: SuspectSource;
  /**
   * `missing`: the class is not labeled but scores as if present. `wrong`: it is labeled
   * but scores as if absent.
   */
  readonly kind: 'missing' | 'wrong';
  /** Its score; for a training image, that of its mean logit over the epochs. */
  readonly score: number;
  /** The typical score of images with the opposite label. */
  readonly typical: number;
}

/** Statistics of the images. */
export interface ImageStatistics {
  /** Images examined, out of `of`. */
  readonly examined: number;
  readonly of: number;
  readonly width: { readonly min: number; readonly median: number; readonly max: number };
  readonly height: { readonly min: number; readonly median: number; readonly max: number };
  /** The most common sizes. */
  readonly sizes: readonly { readonly size: string; readonly count: number }[];
  /** Per channel, 0 to 1, over training images at the size given to `examineImages`. */
  readonly mean: readonly number[];
  /** The mean of the images' own standard deviations, like the constants in the recipes. */
  readonly std: readonly number[];
  /** Levels of images with more than 8 bits, if any. */
  readonly levels?: LevelStatistics;
}

/** What is left of images and objects at several input sizes. */
export interface InputAdvice {
  readonly network: NetworkName;
  /** Pixels per position of the network's last map. */
  readonly stride: number;
  readonly suggested: number;
  readonly reason: string;
  /** Number of objects whose boxes are known. */
  readonly objects: number;
  readonly views: readonly InputView[];
}

/** A summary of a dataset's feature vectors, over all splits. */
export interface FeatureSummary {
  readonly features: number;
  readonly rows: number;
  /** Features that never vary. */
  readonly constant: readonly string[];
  /** Missing values over all rows and features. */
  readonly missing: number;
}

/** The λ that the evidence suggests for a share of negatives. */
export interface LambdaAdvice {
  readonly negativeShare: number;
  readonly from: number;
  readonly to: number;
  readonly start: number;
  readonly reason: string;
}

/** Everything that `anyclass inspect` finds. */
export interface Inspection {
  readonly dataset: string;
  readonly splitOrigin: string;
  readonly classes: readonly string[];
  readonly splits: readonly SplitCount[];
  readonly classCounts: readonly ClassCount[];
  readonly labelCounts: readonly LabelCount[];
  readonly familyCounts: readonly ClassCount[];
  /** Number of instances with 0, 1, 2… labels, excluding undecided ones. */
  readonly labelsPerInstance: readonly number[];
  /** The classes whose pairs are counted: all, or the 500 most frequent. */
  readonly pairedClasses: readonly string[];
  /** Number of instances with both of two paired classes; the class's own count on the diagonal. */
  readonly cooccurrence: readonly (readonly number[])[];
  /** The same for families of classes, in the order of `familyCounts`. */
  readonly familyCooccurrence: readonly (readonly number[])[];
  readonly balance: {
    readonly beta: number;
    readonly classWeights: readonly number[];
    readonly negativeWeight: number;
  };
  readonly groupColumn?: string;
  /** What the labels of the rows that decisions are fitted on can promise. */
  readonly promisable: PromisableWith;
  /** Labels that a file of corrections replaces. */
  readonly corrections?: CorrectionCount;
  readonly lambda: LambdaAdvice;
  readonly images?: ImageStatistics;
  /** Present if images were examined. */
  readonly input?: InputAdvice;
  /** Present if the dataset has feature vectors. */
  readonly features?: FeatureSummary;
  readonly problems: readonly Problem[];
  /** Sets of images that look alike but are not the same bytes, those in several splits first. */
  readonly nearDuplicates: readonly (readonly FoundImage[])[];
  /** Doubtful labels, the most doubtful first; empty unless a model's scores were given. */
  readonly suspects: readonly LabelSuspect[];
  /** How many images were examined for doubtful labels, if a run was given: held-out ones, and training ones. */
  readonly suspected?: { readonly heldOut: number; readonly training: number };
  readonly quarantined: readonly Quarantined[];
}
