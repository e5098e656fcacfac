// Predictions as lines of text.

import { type Decision, presenceProbability } from '@anyclass/core';
import { sewermlClasses } from '../data/readers/known/sewerml.js';
import { UserError } from '../errors/userError.js';
import { addedColumnOf, csvCell } from '../runs/scoreFiles.js';
import type { GroupOf } from './groupNames.js';
import { named, type Prediction } from './predictor.js';

export const outputFormats = ['csv', 'jsonl', 'sewerml'] as const;
export type OutputFormat = (typeof outputFormats)[number];

export interface Output {
  /** The first line, if the format has one. */
  readonly header: string | undefined;
  line(prediction: Prediction): string;
}

export interface OutputOptions {
  readonly classes: readonly string[];
  readonly decision: Decision;
  /** Whether the model has a guard: adds the outcome, and why an image is odd. */
  readonly hasGuard?: boolean;
  /** Adds the group of each image. */
  readonly groupOf?: GroupOf | undefined;
  /** Adds the probability that any class is present, the gate, and the threshold of each label. */
  readonly details?: boolean;
  /** Adds this many of the most probable classes. */
  readonly top?: number | undefined;
}

/**
 * Returns a writer of predictions. `csv` has a column per class and the labels separated by `|`, or
 * 'negative' if there are none (a JSON list if a class has that name or contains `|`); with a decision that
 * leaves images for review, or a guard, also the outcome. If a class has the name of an added column, those are in
 * parentheses. `jsonl` has one object per line. `sewerml` is the format of the SewerML benchmark: file names without folders and 17
 * probabilities.
 *
 * @example
 * const { header } = outputOf('csv', { classes: ['crack', 'roots'], decision }) // 'Filename,crack,roots,labels'
 */
export function outputOf(format: OutputFormat, options: OutputOptions): Output {
  if (format === 'jsonl') return { header: undefined, line: (prediction) => jsonLine(prediction, options) };
  return format === 'csv' ? csvOutput(options) : sewermlOutput(options.classes);
}

function csvOutput({
  classes,
  decision,
  hasGuard = false,
  groupOf,
  details = false,
  top,
}: OutputOptions): Output {
  const added = addedColumnOf(classes);
  const hasReview = decision.clear !== null || hasGuard;
  const gate = decision.presence === null ? 1 : presenceProbability(decision.presence);
  // If a class name contains the separator or is the word for none, the cell is a JSON list.
  const isAmbiguous = classes.some((name) => name.includes('|') || name === 'negative');
  const labelCell = (labels: readonly string[]) =>
    csvCell(isAmbiguous ? JSON.stringify(labels) : labels.join('|') || 'negative');
  return {
    header: [
      ...['Filename', ...(groupOf ? [added('group')] : []), ...classes].map(csvCell),
      ...(details ? [added('presence'), added('gate'), added('thresholds')] : []),
      ...(top === undefined ? [] : [added('top')]),
      ...(hasReview ? [added('outcome')] : []),
      ...(hasGuard ? [added('odd')] : []),
      added('labels'),
    ].join(','),
    line: (prediction) => {
      const { name, probabilities, presenceScore, labels, outcome, odd = '' } = prediction;
      const thresholds = labels.map((label) => decision.thresholds[classes.indexOf(label)]);
      const likely = top === undefined ? [] : mostLikely(prediction, classes, top);
      return [
        csvCell(name),
        ...(groupOf ? [csvCell(groupOf(name))] : []),
        ...Array.from(probabilities, String),
        ...(details ? [presenceProbability(presenceScore), gate, csvCell(thresholds.join('|'))] : []),
        ...(top === undefined ? [] : [csvCell(likelyText(likely, isAmbiguous))]),
        ...(hasReview ? [outcome] : []),
        ...(hasGuard ? [odd] : []),
        labelCell(labels),
      ].join(',');
    },
  };
}

/** `name probability` pairs; a JSON object if a name contains a separator. */
function likelyText(likely: readonly (readonly [string, number])[], isAmbiguous: boolean): string {
  if (isAmbiguous) return JSON.stringify(Object.fromEntries(likely));
  return likely.map(([label, p]) => `${label} ${p}`).join('|');
}

function jsonLine(
  prediction: Prediction,
  { classes, decision, groupOf, details = false, top }: OutputOptions,
): string {
  const { labels, outcome, odd, isNegative, probabilities, presence, thresholds } = named(
    prediction,
    classes,
    decision,
  );
  return JSON.stringify({
    Filename: prediction.name,
    ...(groupOf && { group: groupOf(prediction.name) }),
    labels,
    negative: isNegative,
    outcome,
    ...(odd !== undefined && { odd }),
    ...(details && {
      presence: presence.probability,
      gate: presence.gate,
      thresholds: Object.fromEntries(labels.map((label) => [label, thresholds[label]])),
    }),
    ...(top === undefined ? {} : { top: Object.fromEntries(mostLikely(prediction, classes, top)) }),
    probabilities,
  });
}

function mostLikely(
  { probabilities }: Prediction,
  classes: readonly string[],
  most: number,
): [string, number][] {
  return classes
    .map((name, j): [string, number] => [name, probabilities[j]!])
    .sort(([, a], [, b]) => b - a)
    .slice(0, most);
}

function sewermlOutput(classes: readonly string[]): Output {
  const codes = Object.keys(sewermlClasses);
  const columns = codes.map((code) => classes.indexOf(code));
  const missing = codes.filter((_, i) => columns[i] === -1);
  if (missing.length > 0) {
    throw new UserError(
      `the SewerML format needs the benchmark's 17 classes; the model lacks ${missing.join(', ')}`,
    );
  }
  return {
    header: ['Filename', ...codes].join(','),
    line: ({ name, probabilities }) =>
      [csvCell(name.split(/[\\/]/).at(-1)!), ...columns.map((column) => String(probabilities[column]))].join(
        ',',
      ),
  };
}
