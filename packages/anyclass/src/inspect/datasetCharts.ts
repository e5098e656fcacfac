// Charts of a dataset's contents.

import { bars, columns, stacks } from '@anyclass/kit';
import { splitNames } from '../data/dataset/dataset.js';
import type { Chart } from '../pages/blocks.js';
import type { ClassCount, Inspection } from './inspection.js';

/** More bars would fill a page; the table has all classes. */
const mostBars = 60;

/**
 * Positive instances by class (or class family), stacked by split, with the most common on top. If there are
 * many classes, only the most common are shown, and the title says so.
 */
export function distributionChart(name: string, counts: readonly ClassCount[]): Chart {
  const sorted = counts.toSorted((a, b) => instancesOf(b) - instancesOf(a)).slice(0, mostBars);
  const splits = splitNames.filter((split) => counts.some((count) => (count[split] ?? 0) > 0));
  const title = `Positive instances${partOf(sorted.length, counts.length)}`;
  const rows = sorted.map((count) => ({
    name: count.name,
    values: splits.map((split) => count[split] ?? 0),
  }));
  return { name, title, svg: stacks(title, splits, rows) };
}

/**
 * Annotated objects of each class next to the instances that show it, as COCO counts them;
 * the most annotated on top.
 */
export function annotationChart(name: string, counts: readonly ClassCount[]): Chart {
  const sorted = counts.toSorted((a, b) => (b.annotations ?? 0) - (a.annotations ?? 0)).slice(0, mostBars);
  const title = `Annotated objects and the instances that show them${partOf(sorted.length, counts.length)}`;
  const rows = sorted.map((count) => {
    const objects = count.annotations ?? 0;
    const text = `${objects.toLocaleString('en-US')} in ${instancesOf(count).toLocaleString('en-US')}`;
    return { name: count.name, value: objects, text };
  });
  return { name, title, svg: bars(title, rows) };
}

function instancesOf({ train, validation, test, decision = 0 }: ClassCount): number {
  return train + validation + test + decision;
}

/** Instances with 0, 1, 2… labels. */
export function labelsPerInstanceChart({ labelsPerInstance }: Pick<Inspection, 'labelsPerInstance'>): Chart {
  const title = 'Instances by number of labels';
  const list = labelsPerInstance.map((value, labels) => ({ text: String(labels), value }));
  return { name: 'labels-per-instance', title, svg: columns(title, 'labels', list) };
}

/** The addition to a title if not all classes are shown. */
function partOf(shown: number, all: number): string {
  return shown < all ? `; the ${shown} largest of ${all}; the table has all` : '';
}
