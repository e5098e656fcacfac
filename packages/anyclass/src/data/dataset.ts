import type { FeatureSource } from './features/featureSource.js';
import type { ImageSource } from './images/imageSource.js';
import type { ImageReading } from './images/unpack.js';
import type { LabelMatrix } from './labelMatrix.js';
import type { NameTable } from './nameTable.js';

/** The three parts of a dataset, in the order in which they are shown. */
export const splitNames = ['train', 'validation', 'test'] as const;
export type SplitName = (typeof splitNames)[number];

/** Rows of the dataset by split; a split that does not exist has no rows. */
export type Splits = Readonly<Record<SplitName, Int32Array>>;

/** Which patient, video or pipe each row belongs to: rows of one group must not stand in two splits. */
export interface Grouping {
  /** What a group is, as the column was called: 'Patient ID'. */
  readonly column: string;
  /** The group of each row, an index into `names`, numbered in order of first appearance. */
  readonly codes: Int32Array;
  readonly names: readonly string[];
}

/** How images of a dataset are prepared for a network, where its authors said so. */
export interface Preparation extends ImageReading {
  /** 1: decode to gray (the network sees it on three channels). 3: RGB. */
  readonly channels: 1 | 3;
  readonly mean: readonly number[];
  readonly std: readonly number[];
  /** Which training augmentation suits: color jitter and flip for photographs, a small rotation for X-rays. */
  readonly augmentation: 'photograph' | 'x-ray' | 'none';
}

/** Something a reader noticed that is worth a look and no error. */
export interface Remark {
  readonly text: string;
  readonly count: number;
  /** The first few names concerned. */
  readonly examples: readonly string[];
}

/**
 * A dataset: an index of all rows in typed arrays, and a source of their images or features. Labels of a split without any
 * (SewerML's test file) are all unknown.
 */
export interface Dataset {
  readonly name: string;
  readonly classes: readonly string[];
  readonly names: NameTable;
  readonly labels: LabelMatrix;
  /** Of a dataset of feature vectors there are none. */
  readonly images: ImageSource;
  /** Feature vectors in place of images. */
  readonly features?: FeatureSource;
  readonly splits: Splits;
  /** How the splits came about, in words. */
  readonly splitOrigin: string;
  readonly groups?: Grouping;
  /** Families of classes for the grouped distribution: COCO's supercategories. */
  readonly classFamilies?: readonly { readonly name: string; readonly classes: readonly string[] }[];
  /** Annotated objects of each class, where the dataset has them: COCO's boxes. */
  readonly annotationCounts?: readonly number[];
  /** Weight of each class in F2-CIW. */
  readonly classImportance?: readonly number[];
  readonly preparation: Preparation;
  readonly remarks: readonly Remark[];
}

/** What a reader gives before splits are drawn; `fixedSplits` where the data bring their own. */
export interface DatasetTable extends Omit<Dataset, 'splits' | 'splitOrigin' | 'preparation'> {
  readonly fixedSplits?: { readonly splits: Splits; readonly origin: string };
  readonly preparation?: Preparation;
}

/** ImageNet's statistics on three channels: what pretrained networks expect where nothing else is known. */
export const photographPreparation: Preparation = {
  channels: 3,
  mean: [0.485, 0.456, 0.406],
  std: [0.229, 0.224, 0.225],
  augmentation: 'photograph',
};

/** What messages call the instances of a dataset, one or many. */
export function instanceWord({ features }: Pick<Dataset, 'features'>): 'image' | 'row' {
  return features ? 'row' : 'image';
}

/** Free what the dataset holds open: Parquet files, files of features, a cache. */
export async function closeDataset(dataset: Dataset): Promise<void> {
  await dataset.images.close();
}
