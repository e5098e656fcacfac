// The published results of "Any-Class Presence Likelihood for Robust Multi-Label Classification with Abundant
// Negative Data", arXiv 2506.05721. Percent, one seed each.

import type { PaperDataset } from '../../configuration/recipes.js';
import type { LossName } from '../../losses/lossNames.js';

export interface PaperRow {
  readonly network: string;
  readonly loss: LossName;
  /** F1, F2 (F2-CIW for SewerML), mAP and F1-Neg; null if not published. */
  readonly validation: PublishedMetrics;
  readonly test: PublishedMetrics;
}

export type PublishedMetrics = readonly [
  f1: number | null,
  f2: number | null,
  mAP: number | null,
  f1Neg: number | null,
];

export interface PaperAblation {
  readonly standard: PublishedMetrics;
  /** In ascending order of λ. */
  readonly anyClass: readonly (readonly [lambda: number, ...metrics: PublishedMetrics])[];
}

/** Rows of the loss tables: network, loss, validation metrics, test metrics. */
const rows: Readonly<Partial<Record<PaperDataset, readonly PublishedRow[]>>> = {
  sewerml: [
    ['tresnet-l', 'bce', [63.13, 61.96, 65.63, 91.9], [null, 60.02, null, 91.58]],
    ['tresnet-l', 'any-bce', [64.23, 65.1, 66.86, 91.95], [null, 64.16, null, 91.35]],
    ['tresnet-l', 'focal', [59.73, 57.66, 62.71, 91.21], [null, 56.08, null, 90.99]],
    ['tresnet-l', 'any-focal', [63.33, 64.22, 65.82, 91.59], [null, 62.99, null, 91.05]],
    ['vit-b-16', 'bce', [48.25, 45.67, 52.0, 89.55], [null, 44.39, null, 88.85]],
    ['vit-b-16', 'any-bce', [52.03, 52.61, 53.15, 89.62], [null, 50.49, null, 88.9]],
    ['vit-b-16', 'focal', [51.85, 51.28, 54.09, 89.95], [null, 48.6, null, 89.44]],
    ['vit-b-16', 'any-focal', [52.63, 54.58, 54.35, 89.14], [null, 52.25, null, 88.35]],
    ['maxvit-s', 'bce', [66.99, 67.15, 69.47, 93.34], [null, 65.64, null, 92.83]],
    ['maxvit-s', 'any-bce', [67.05, 68.16, 70.23, 92.96], [null, 66.73, null, 92.46]],
    ['maxvit-s', 'focal', [66.18, 66.51, 69.42, 92.96], [null, 65.28, null, 92.48]],
    ['maxvit-s', 'any-focal', [67.45, 69.04, 70.18, 93.15], [null, 67.41, null, 92.58]],
  ],
  chestxray14: [
    ['tresnet-l', 'bce', [13.98, 12.77, 17.55, 72.83], [14.63, 13.02, 18.57, 72.45]],
    ['tresnet-l', 'any-bce', [19.99, 20.43, 18.53, 71.95], [20.75, 21.06, 19.67, 71.63]],
    ['tresnet-l', 'focal', [8.17, 7.03, 15.23, 72.24], [9.21, 8.12, 15.86, 71.81]],
    ['tresnet-l', 'any-focal', [13.68, 13.83, 15.69, 72.29], [14.19, 14.26, 16.63, 71.72]],
    ['maxvit-s', 'bce', [19.08, 18.53, 19.72, 72.85], [20.7, 19.78, 21.26, 72.3]],
    ['maxvit-s', 'any-bce', [22.5, 23.99, 19.17, 71.88], [23.95, 25.15, 20.76, 71.3]],
    ['maxvit-s', 'focal', [17.41, 16.58, 18.28, 73.48], [18.96, 17.83, 20.32, 72.52]],
    ['maxvit-s', 'any-focal', [22.14, 23.22, 18.99, 71.98], [24.46, 25.27, 20.41, 71.51]],
  ],
  'coco-41': [
    ['tresnet-l', 'bce', [40.93, 36.41, 42.52, 77.58], [40.01, 35.68, 42.33, 77.66]],
    ['tresnet-l', 'any-bce', [43.85, 41.59, 44.34, 76.58], [42.92, 40.81, 43.77, 76.52]],
    ['tresnet-l', 'focal', [35.35, 30.66, 38.29, 75.45], [35.12, 30.63, 38.09, 75.47]],
    ['tresnet-l', 'any-focal', [40.91, 38.62, 40.29, 73.83], [39.45, 37.43, 39.54, 74.03]],
    ['maxvit-s', 'bce', [38.52, 34.65, 40.56, 76.77], [37.88, 34.43, 40.24, 77.09]],
    ['maxvit-s', 'any-bce', [43.75, 42.71, 43.54, 76.33], [43.21, 42.25, 43.19, 76.24]],
    ['maxvit-s', 'focal', [43.46, 40.47, 44.8, 79.62], [43.14, 40.42, 44.82, 79.75]],
    ['maxvit-s', 'any-focal', [46.97, 46.85, 46.78, 76.34], [46.17, 45.97, 46.28, 76.69]],
  ],
};

/** The λ ablations with TResNet-L on the validation split: F1, F2, mAP and F1-Neg. */
const ablations: Readonly<Partial<Record<`${PaperDataset}/${'bce' | 'focal'}`, PaperAblation>>> = {
  'sewerml/bce': {
    standard: [63.13, 60.82, 65.63, 91.9],
    anyClass: [
      [0, 63.85, 63.23, 66.19, 91.77],
      [0.01, 64.38, 64.05, 66.86, 91.85],
      [0.02, 64.23, 63.92, 66.86, 91.95],
      [0.05, 64.3, 64.1, 66.81, 91.91],
      [0.1, 63.2, 62.96, 65.55, 91.75],
      [0.2, 63.6, 62.95, 65.77, 92.15],
      [0.5, 63.07, 61.73, 65.06, 92.13],
      [1, 61.34, 59.21, 63.16, 91.73],
    ],
  },
  'coco-41/bce': {
    standard: [40.93, 36.41, 42.52, 77.58],
    anyClass: [
      [0, 43.58, 40.97, 43.71, 76.19],
      [0.01, 44.06, 41.66, 44.38, 75.84],
      [0.02, 43.85, 41.59, 44.34, 76.58],
      [0.05, 43.14, 40.56, 43.72, 77.49],
      [0.1, 42.2, 39.31, 42.96, 78.02],
      [0.2, 40.99, 37.67, 42.12, 77.83],
      [0.5, 40.38, 36.41, 42.19, 78.01],
      [1, 40.87, 36.41, 43.13, 77.78],
    ],
  },
  'chestxray14/bce': {
    standard: [13.98, 12.77, 17.55, 72.83],
    anyClass: [
      [0, 19.25, 19.53, 17.79, 71.99],
      [0.01, 18.7, 19.02, 17.69, 72.09],
      [0.02, 19.99, 20.43, 18.53, 71.95],
      [0.05, 19.04, 19.28, 18.33, 72.72],
      [0.1, 17.98, 18.38, 18.44, 72.62],
      [0.2, 18.26, 18.46, 18.59, 72.98],
      [0.5, 16.58, 16.3, 18.5, 73.17],
      [1, 16.35, 15.81, 18.25, 73.16],
    ],
  },
  'coco-animals/bce': {
    standard: [55.58, 52.84, 58.12, 92.75],
    anyClass: [
      [0, 55.54, 55.79, 56.36, 91.04],
      [0.01, 56.15, 57.61, 58.14, 90.69],
      [0.02, 56.63, 58.2, 59.14, 90.73],
      [0.05, 57.46, 59.62, 61.0, 91.23],
      [0.1, 56.31, 59.38, 59.72, 91.14],
      [0.2, 57.91, 60.62, 61.58, 92.04],
      [0.5, 56.94, 58.11, 60.68, 93.06],
      [1, 57.23, 57.37, 60.63, 93.18],
    ],
  },
  'sewerml/focal': {
    standard: [59.73, 56.61, 62.71, 91.21],
    anyClass: [
      [0, 63.06, 62.28, 65.44, 91.75],
      [0.01, 62.75, 62.37, 65.28, 91.51],
      [0.02, 63.33, 63.05, 65.82, 91.59],
      [0.05, 63.06, 62.71, 65.34, 91.53],
      [0.1, 63.06, 62.8, 65.53, 91.34],
      [0.2, 63.04, 62.5, 65.37, 91.89],
      [0.5, 61.43, 60.0, 63.68, 91.75],
      [1, 60.72, 58.81, 62.55, 91.56],
    ],
  },
};

/** Returns the published loss table of a dataset; empty for COCO animals, which has only an ablation. */
export function paperLossTable(dataset: PaperDataset): PaperRow[] {
  return (rows[dataset] ?? []).map(([network, loss, validation, test]) => ({
    network,
    loss,
    validation,
    test,
  }));
}

/** Returns the published λ ablation of a dataset for a base loss. */
export function paperLambdaAblation(dataset: PaperDataset, base: 'bce' | 'focal'): PaperAblation | undefined {
  return ablations[`${dataset}/${base}`];
}

type PublishedRow = readonly [
  network: string,
  loss: LossName,
  validation: PublishedMetrics,
  test: PublishedMetrics,
];
