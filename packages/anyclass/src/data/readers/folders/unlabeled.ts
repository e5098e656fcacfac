import type { ImageLabels } from './namedLabels.js';

/** How an image without a label file, annotation, or class folder is read. */
export type Unlabeled = 'negative' | 'unknown';

/** The labels of such an image; undefined if unknown. */
export function unlabeledLabels(unlabeled: Unlabeled): ImageLabels | undefined {
  return unlabeled === 'negative' ? { present: [] } : undefined;
}
