import type { Prediction } from '@anyclass/browser';

/**
 * Formats results as `anyclass predict` does: a column for each class, then the labels.
 *
 * @example
 * resultsCsv([{ name: 'a.jpg', prediction }]) // 'Filename,crack,roots,labels\na.jpg,0.93,0.02,crack\n'
 */
export function resultsCsv(
  results: readonly { readonly name: string; readonly prediction: Prediction }[],
): string {
  const classes = Object.keys(results[0]?.prediction.probabilities ?? {});
  const lines = results.map(({ name, prediction: { labels, probabilities } }) => [
    name,
    ...classes.map((className) => String(probabilities[className])),
    labels.join('|') || 'negative',
  ]);
  return [['Filename', ...classes, 'labels'], ...lines]
    .map((cells) => `${cells.map(cell).join(',')}\n`)
    .join('');
}

function cell(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
