// Predictions as lines of text.

import { sewermlClasses } from '../data/readers/sewerml.js';
import { UserError } from '../errors/userError.js';
import { csvCell } from '../runs/scoreFiles.js';
import type { Prediction } from './predictor.js';

export const outputFormats = ['csv', 'jsonl', 'sewerml'] as const;
export type OutputFormat = (typeof outputFormats)[number];

export interface Output {
  /** The first line, where the format has one. */
  readonly header: string | undefined;
  line(prediction: Prediction): string;
}

/**
 * How predictions are written. `csv` has a column per class and the labels, 'negative' where there are none; `jsonl` an
 * object a line; `sewerml` what the SewerML benchmark takes: file names without folders and the 17 probabilities.
 *
 * @example
 * const { header } = outputOf('csv', ['crack', 'roots']) // 'Filename,crack,roots,labels'
 */
export function outputOf(format: OutputFormat, classes: readonly string[]): Output {
  if (format === 'jsonl') return { header: undefined, line: (prediction) => jsonLine(prediction, classes) };
  if (format === 'csv') {
    return {
      header: [...['Filename', ...classes].map(csvCell), 'labels'].join(','),
      line: ({ name, probabilities, labels }) =>
        [csvCell(name), ...Array.from(probabilities, String), csvCell(labels.join('|') || 'negative')].join(
          ',',
        ),
    };
  }
  const codes = Object.keys(sewermlClasses);
  const columns = codes.map((code) => classes.indexOf(code));
  const missing = codes.filter((_, i) => columns[i] === -1);
  if (missing.length > 0) {
    throw new UserError(
      `the benchmark's file needs the 17 classes of SewerML; the model lacks ${missing.join(', ')}`,
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

function jsonLine({ name, probabilities, labels }: Prediction, classes: readonly string[]): string {
  return JSON.stringify({
    Filename: name,
    labels,
    negative: labels.length === 0,
    probabilities: Object.fromEntries(classes.map((className, j) => [className, probabilities[j]])),
  });
}
