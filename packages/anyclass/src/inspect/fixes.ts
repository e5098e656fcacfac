import type { Problem } from './inspection.js';

/** What to do about a problem, with the command that does it where there is one. */
export interface Fix {
  readonly words: string;
  readonly command?: string;
}

/**
 * Returns what to do about a problem; undefined if it is only good to know.
 *
 * @example
 * fixOf({ kind: 'no-validation', examples: [] }, 'pipes.csv')?.command // "npx anyclass init pipes.csv --set 'data.draw={}'"
 */
export function fixOf(
  { kind, examples }: Pick<Problem, 'kind' | 'examples'>,
  dataset: string,
): Fix | undefined {
  const init = (...settings: readonly string[]) =>
    `npx anyclass init ${[quoted(dataset), ...settings.map(quoted)].join(' --set ')}`;
  const redrawn = init('data.draw={}');
  const together = init('data.groups=look-alikes', 'data.draw={}');
  const corrected = init('data.corrections=corrections.csv');
  const dropped =
    examples.length === 0 ? undefined : init(`data.drop=${JSON.stringify(classesIn(examples))}`);
  const fixes: Partial<Record<Problem['kind'], Fix>> = {
    unreadable: { words: 'Restore the files or remove their rows; training leaves them out.' },
    'no-positives': {
      words:
        'Look at a few rows of the table: are these columns the classes, and is a label 1, or its name as the others write it?',
    },
    'no-validation': { words: 'Name a validation split in the table, or draw one:', command: redrawn },
    'scarce-validation': {
      words: 'Label more images for validation, or give it a larger share:',
      command: init('data.draw.shares=[0.6,0.25,0.15]'),
    },
    'group-across-splits': {
      words: 'Metrics would be too good. Splits drawn here keep groups together:',
      command: redrawn,
    },
    'duplicate-across-splits': {
      words: 'Metrics would be too good. Remove the copies, or draw splits that keep them together:',
      command: together,
    },
    'near-duplicate-across-splits': {
      words: 'Metrics may be too good. Look at the sets below; splits drawn like this keep each together:',
      command: together,
    },
    'duplicate-labels-differ': {
      words:
        'One of the labels is wrong: remove the copy, or write the right label to a table of corrections.',
      command: corrected,
    },
    'near-duplicate-labels-differ': {
      words: 'Look at the sets below. Write labels that are wrong to a table of corrections.',
      command: corrected,
    },
    'suspect-label': {
      words: 'Look at them below. Write labels that are wrong to a table of corrections.',
      command: corrected,
    },
    'no-window': {
      words: 'Set the range of levels that the images use; "Images" below suggests one.',
      command: init('data.window=[LOW,HIGH]'),
    },
    unsplit: { words: 'Give these rows a split, remove them, or draw all splits:', command: redrawn },
    'scarce-class': {
      words: 'Label more images of these classes, or leave the classes out:',
      ...(dropped !== undefined && { command: dropped }),
    },
    'rare-class': {
      words: 'Their metrics will be noisy: label more, or leave the classes out:',
      ...(dropped !== undefined && { command: dropped }),
    },
  };
  return fixes[kind];
}

/** The classes of 'Hernia: 4' and the like. */
function classesIn(examples: readonly string[]): string[] {
  return examples.map((example) => example.slice(0, example.lastIndexOf(': ')));
}

/** A word as a shell reads it. */
export function quoted(word: string): string {
  return /^[\w./=-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
