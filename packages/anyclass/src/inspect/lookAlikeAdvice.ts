import { type Dataset, splitNames } from '../data/dataset/dataset.js';
import { lookAlikesAmong } from '../data/lookAlikes/imageHashes.js';
import { lookAlikeColumn } from '../data/lookAlikes/lookAlikeGroups.js';
import { counted, inflected } from '../errors/counted.js';

/** Copies and frames of a video are mostly next to each other, so images are taken in blocks. */
const [blocks, blockRows] = [20, 50];

/** A set with a larger share of the images is no set of copies: all images are similar, as from a fixed camera. */
const largestShare = 0.2;

export interface LookAlikeAdvice {
  /** Whether `data.groups` should be `look-alikes`. */
  readonly isAdvised: boolean;
  readonly remarks: readonly string[];
}

/**
 * Looks for images that look alike among 1,000 of a dataset, and advises to keep them together if any are found.
 *
 * @example
 * (await lookAlikeAdvice(dataset)).isAdvised // true: its splits are drawn, and would share images
 */
export async function lookAlikeAdvice(dataset: Dataset): Promise<LookAlikeAdvice> {
  const { images, groups, hasOwnSplits = false } = dataset;
  if (images.absent !== undefined || groups?.column.includes(lookAlikeColumn)) {
    return { isAdvised: false, remarks: [] };
  }
  const rows = sampled(splitNames.flatMap((split) => [...dataset.splits[split]]).sort((a, b) => a - b));
  const sets = (await lookAlikesAmong(dataset, rows)).filter((set) => isAtRisk(dataset, set));
  if (sets.length === 0) return { isAdvised: false, remarks: [] };
  const largest = Math.max(...sets.map((set) => set.length));
  if (largest > largestShare * rows.length) {
    return {
      isAdvised: false,
      remarks: [
        `warning: ${largest} of ${counted(rows.length, 'image')} look alike; if they show the same scene, name its column in data.columns.group, so that no two splits share it`,
      ],
    };
  }
  const found = `${counted(sets.length, 'set')} of look-alike images among ${counted(rows.length, 'image')}`;
  return {
    isAdvised: !hasOwnSplits,
    remarks: [
      hasOwnSplits
        ? `warning: ${found} ${inflected(sets.length, 'is', 'are')} in more than one split, which inflates metrics; set data.groups to look-alikes, and data.draw to draw splits that keep them together`
        : `${found}: data.groups look-alikes keeps each set in one split and counts it once, so less can be promised than by images; training reads all images once to find them`,
    ],
  };
}

/** Whether the data's own splits share the set, or drawn ones may. */
function isAtRisk({ splits, groups, hasOwnSplits }: Dataset, rows: readonly number[]): boolean {
  if (!hasOwnSplits) return new Set(rows.map((row) => groups?.codes[row] ?? row)).size > 1;
  return splitNames.filter((split) => rows.some((row) => splits[split].includes(row))).length > 1;
}

function sampled(rows: readonly number[]): Int32Array {
  if (rows.length <= blocks * blockRows) return Int32Array.from(rows);
  return Int32Array.from({ length: blocks * blockRows }, (_, i) => {
    const start = Math.floor((Math.floor(i / blockRows) * (rows.length - blockRows)) / (blocks - 1));
    return rows[start + (i % blockRows)]!;
  });
}
