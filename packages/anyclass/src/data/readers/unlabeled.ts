import type { ImageLabels } from './namedLabels.js';

/** How an image without a label file, an annotation or a class folder is read. */
export type Unlabeled = 'negative' | 'unknown';

/** The labels of such an image. */
export function unlabeledLabels(unlabeled: Unlabeled): ImageLabels | undefined {
  return unlabeled === 'negative' ? { present: [] } : undefined;
}
