import { type LookTable, predictedAt } from './table.js';

export const outcomes = ['clear', 'review', 'alarm'] as const;

export const tones = ['found', 'missed', 'false-alarm', 'review', 'clear'] as const;

/**
 * How the model's answer stands to the labels, as a color of the kit. An image of which some classes are unknown and none is known to be
 * present may be either; it is shown as clear.
 */
export function toneOf({ outcome, targets, classes }: LookTable, row: number): (typeof tones)[number] {
  if (outcome[row] === 1) return 'review';
  const own = targets.subarray(row * classes.length, (row + 1) * classes.length);
  if (own.includes(1)) return outcome[row] === 2 ? 'found' : 'missed';
  return outcome[row] === 2 && !own.includes(-1) ? 'false-alarm' : 'clear';
}

/** What the model says, as `alarm: crack, roots`; an alarm may name no class. */
export function answerText(table: LookTable, row: number): string {
  const predicted = predictedAt(table, row).join(', ');
  return `${outcomes[table.outcome[row]!]!}${predicted === '' ? '' : `: ${predicted}`}`;
}
