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
 * fixOf({ kind: 'no-validation', text: '…', count: 0, examples: [] }, 'pipes.csv')?.command
 */
export function fixOf({ kind }: Pick<Problem, 'kind'>, dataset: string): Fix | undefined {
  const data = /^[\w./=-]+$/.test(dataset) ? dataset : `'${dataset.replaceAll("'", "'\\''")}'`;
  const fixes: Partial<Record<Problem['kind'], Fix>> = {
    unreadable: { words: 'Restore the files or remove their rows; training leaves them out.' },
    'no-validation': {
      words: 'Name a validation split in the table, or leave the split column out so that one is drawn.',
    },
    'scarce-validation': {
      words: 'Label more images for validation, or give it a larger share of the data.',
    },
    'group-across-splits': {
      words: 'Metrics would be too good. Leave the split column out: splits drawn here keep groups together.',
    },
    'duplicate-across-splits': {
      words: 'Metrics would be too good. Remove the copies from all splits but one.',
    },
    'near-duplicate-across-splits': {
      words: 'Metrics may be too good. Look at the sets below, and keep each in one split.',
    },
    'duplicate-labels-differ': { words: 'One of the labels is wrong: correct it, or remove the copy.' },
    'near-duplicate-labels-differ': { words: 'Look at the sets below: one of the labels may be wrong.' },
    'suspect-label': { words: 'Look at them below, and correct those that are wrong.' },
    'no-window': {
      words: 'Set the range of levels that the images use; "Images" below suggests one.',
      command: `anyclass train quick --data ${data} --set data.window=[LOW,HIGH]`,
    },
    unsplit: { words: 'Give these rows a split, or remove them.' },
    'scarce-class': { words: 'Label more images of these classes, or leave the classes out.' },
    'rare-class': { words: 'Their metrics will be noisy: label more, or leave the classes out.' },
  };
  return fixes[kind];
}
