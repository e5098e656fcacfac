import type { FeatureSource } from './featureSource.js';
import type { ImageSource } from './imageSource.js';
import type { LabelMatrix } from './labelMatrix.js';
import type { NameTable } from './nameTable.js';
import type { ObjectBoxes } from './objectBoxes.js';
import type { ImageReading } from './reading/pixelFormat.js';

/**
 * The splits of a dataset, in display order. The rows of `decision`, which most datasets do not have, choose nothing: no
 * weights, no run and no calibration. A decision that is fitted on them keeps its promise whatever validation chose.
 */
export const splitNames = ['train', 'validation', 'test', 'decision'] as const;
export type SplitName = (typeof splitNames)[number];

/** Rows of the dataset by split; a split that does not exist has no rows. */
export type Splits = Readonly<Record<SplitName, Int32Array>>;

/** Which patient, video, or pipe each row belongs to. Rows of one group must not be in two splits. */
export interface Grouping {
  /** The name of the column, which says what a group is: 'Patient ID'. */
  readonly column: string;
  /** The group of each row, an index into `names`, numbered in order of first appearance. */
  readonly codes: Int32Array;
  readonly names: readonly string[];
}

/** How a dataset's images are prepared for a network. */
export interface Preparation extends ImageReading {
  /** 1: decode to gray (repeated on three channels for the network). 3: RGB. */
  readonly channels: 1 | 3;
  readonly mean: readonly number[];
  readonly std: readonly number[];
  /**
   * The suitable training augmentation: color jitter and flip for photographs, a small
   * rotation and flip for X-rays.
   */
  readonly augmentation: 'photograph' | 'x-ray' | 'none';
}

/** Something that a reader noticed: worth a look, but not an error. */
export interface Remark {
  readonly text: string;
  readonly count: number;
  /** The first few names concerned. */
  readonly examples: readonly string[];
}

/**
 * A dataset: an index of all rows in typed arrays, and a source of their images or features. In a split
 * without labels, such as SewerML's test file, all labels are unknown.
 */
export interface Dataset {
  readonly name: string;
  readonly classes: readonly string[];
  readonly names: NameTable;
  readonly labels: LabelMatrix;
  /** The images; absent (`images.absent`) if the dataset has feature vectors. */
  readonly images: ImageSource;
  /** Feature vectors, instead of images. */
  readonly features?: FeatureSource;
  readonly splits: Splits;
  /** Where the splits come from, in words. */
  readonly splitOrigin: string;
  /** Whether the splits came with the data, instead of being drawn. */
  readonly hasOwnSplits?: boolean;
  readonly groups?: Grouping;
  /** Families of classes, such as COCO's supercategories. */
  readonly classFamilies?: readonly { readonly name: string; readonly classes: readonly string[] }[];
  /** Number of annotated objects of each class, such as COCO's boxes, if the dataset has them. */
  readonly annotationCounts?: readonly number[];
  /** Boxes of the annotated objects, if they are known. */
  readonly objects?: ObjectBoxes;
  /** Weight of each class in F2-CIW. */
  readonly classImportance?: readonly number[];
  readonly preparation: Preparation;
  /** Labels that were replaced by those of a file (`data.corrections`). */
  readonly corrections?: CorrectionCount;
  readonly remarks: readonly Remark[];
}

/** How many labels a file of corrections has for a dataset. */
export interface CorrectionCount {
  readonly file: string;
  readonly labels: number;
  readonly images: number;
  /** Those that differ from the dataset's own. */
  readonly changed: number;
}

/** A reader's result before splits are drawn; `fixedSplits` if the data comes with its own splits. */
export interface DatasetTable
  extends Omit<Dataset, 'splits' | 'splitOrigin' | 'hasOwnSplits' | 'preparation'> {
  readonly fixedSplits?: { readonly splits: Splits; readonly origin: string };
  readonly preparation?: Preparation;
}

/**
 * ImageNet's statistics on three channels, which pretrained networks expect; used if nothing else is known.
 */
export const photographPreparation: Preparation = {
  channels: 3,
  mean: [0.485, 0.456, 0.406],
  std: [0.229, 0.224, 0.225],
  augmentation: 'photograph',
};

/** The word that messages use for an instance of a dataset. */
export function instanceWord({ features }: Pick<Dataset, 'features'>): 'image' | 'row' {
  return features ? 'row' : 'image';
}

/** Closes what the dataset holds open: Parquet files and feature files. */
export async function closeDataset(dataset: Dataset): Promise<void> {
  await dataset.images.close();
}
