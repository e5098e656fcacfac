import type { SplitName } from '../data/dataset.js';
import type { LevelStatistics } from '../data/images/levels/levelSurvey.js';
import type { Quarantined } from '../events/runSummary.js';

/** Instances of a split, or of all splits together. */
export interface SplitCount {
  readonly split: SplitName | 'all';
  readonly positive: number;
  readonly negative: number;
  /** No class is known to be present, and an unknown one may be. */
  readonly undecided: number;
  readonly total: number;
  /** Different patients, videos…, where the dataset has groups. */
  readonly groups?: number;
}

/** Positive instances of a class (or of a family of classes) by split. */
export interface ClassCount {
  readonly name: string;
  readonly train: number;
  readonly validation: number;
  readonly test: number;
  /** Annotated objects over all splits, where the dataset tells. */
  readonly annotations?: number;
}

/** Labels of a class, over all splits, that are not simply 0 or 1. */
export interface LabelCount {
  readonly name: string;
  /** Those that nobody gave, and uncertain ones that are read as such. */
  readonly unknown: number;
  /** -1 in the table, whatever it is read as. */
  readonly uncertain: number;
  /** Between 0 and 1. */
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
    | 'no-validation'
    | 'scarce-validation'
    | 'scarce-class'
    | 'unsplit'
    | 'reader';
  readonly text: string;
  readonly count: number;
  readonly examples: readonly string[];
}

/** An image of a set, or one whose label is in doubt. */
export interface FoundImage {
  readonly row: number;
  readonly name: string;
  readonly split: SplitName | undefined;
  /** The classes that are present. */
  readonly labels: readonly string[];
}

/** A label that a model's scores speak against. */
export interface LabelSuspect extends FoundImage {
  readonly class: string;
  /** `missing`: the class is not labeled and scores as if it were there. `wrong`: it is labeled and scores as if it were not. */
  readonly kind: 'missing' | 'wrong';
  readonly score: number;
  /** The mean score of images that are labeled as this one should be. */
  readonly typical: number;
}

/** What the images themselves show. */
export interface ImageStatistics {
  /** Images looked at; `of` in all. */
  readonly examined: number;
  readonly of: number;
  readonly width: { readonly min: number; readonly median: number; readonly max: number };
  readonly height: { readonly min: number; readonly median: number; readonly max: number };
  /** The commonest sizes. */
  readonly sizes: readonly { readonly size: string; readonly count: number }[];
  /** Per channel, 0 to 1, over training images at the size they are trained at. */
  readonly mean: readonly number[];
  /** The mean of the deviations that the images have each for itself, as the recipes' constants are. */
  readonly std: readonly number[];
  /** What images of more than 8 bits hold, where there are any. */
  readonly levels?: LevelStatistics;
}

/** What the feature vectors of a dataset show, over all splits. */
export interface FeatureSummary {
  readonly features: number;
  readonly rows: number;
  /** Features that never vary. */
  readonly constant: readonly string[];
  /** Missing values over all rows and features. */
  readonly missing: number;
}

/** What λ the paper's evidence suggests for a share of negatives. */
export interface LambdaAdvice {
  readonly negativeShare: number;
  readonly from: number;
  readonly to: number;
  readonly start: number;
  readonly reason: string;
}

/** All that `anyclass inspect` finds. */
export interface Inspection {
  readonly dataset: string;
  readonly splitOrigin: string;
  readonly classes: readonly string[];
  readonly splits: readonly SplitCount[];
  readonly classCounts: readonly ClassCount[];
  readonly labelCounts: readonly LabelCount[];
  readonly familyCounts: readonly ClassCount[];
  /** Instances with 0, 1, 2… labels, undecided ones left out. */
  readonly labelsPerInstance: readonly number[];
  /** The classes that pairs are counted of: all, or the 500 most frequent ones. */
  readonly pairedClasses: readonly string[];
  /** Instances with both of two paired classes; the class itself on the diagonal. */
  readonly cooccurrence: readonly (readonly number[])[];
  /** The same of families of classes, in the order of `familyCounts`. */
  readonly familyCooccurrence: readonly (readonly number[])[];
  readonly balance: {
    readonly beta: number;
    readonly classWeights: readonly number[];
    readonly negativeWeight: number;
  };
  readonly groupColumn?: string;
  readonly lambda: LambdaAdvice;
  readonly images?: ImageStatistics;
  /** Of a dataset of feature vectors. */
  readonly features?: FeatureSummary;
  readonly problems: readonly Problem[];
  /** Sets of images that look alike and are not the same bytes, those in several splits first. */
  readonly nearDuplicates: readonly (readonly FoundImage[])[];
  /** Where scores of a model were given; the most doubtful first. */
  readonly suspects: readonly LabelSuspect[];
  readonly quarantined: readonly Quarantined[];
}
