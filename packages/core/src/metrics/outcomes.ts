// What a decision says about an instance as a whole.

/**
 * `alarm`: presence reaches the gate. `clear`: presence is so low that few positives have it. `review`: neither; a person
 * should look.
 */
export type Outcome = 'clear' | 'review' | 'alarm';

/** How many rows have each outcome, or their shares. */
export interface OutcomeCounts {
  readonly clear: number;
  readonly review: number;
  readonly alarm: number;
}

/** The presence scores that separate the outcomes. */
export interface OutcomeCutoffs {
  /** Rows with at least this presence score alarm; null for none. */
  readonly alarm: number | null;
  /** Rows with less than this are cleared; null if the decision has no such limit, so that every row but alarms is cleared. */
  readonly clear: number | null;
}

/** The codes of outcomes, which index {@link OUTCOMES}. */
export const ROW_CLEAR = 0;
export const ROW_REVIEW = 1;
export const ROW_ALARM = 2;

export const OUTCOMES: readonly Outcome[] = ['clear', 'review', 'alarm'];

/** Returns the code of a presence score's outcome. */
export function outcomeCode(presence: number, { alarm, clear }: OutcomeCutoffs): number {
  if (alarm !== null && presence >= alarm) return ROW_ALARM;
  return clear === null || presence < clear ? ROW_CLEAR : ROW_REVIEW;
}

/** Returns a row's outcome: by its presence score if the decision has a gate, otherwise by whether a class is predicted. */
export function outcomeOf(
  presence: number,
  isPredicted: boolean,
  { outcome }: { readonly outcome?: OutcomeCutoffs | undefined },
): Outcome {
  if (outcome === undefined) return isPredicted ? 'alarm' : 'clear';
  return OUTCOMES[outcomeCode(presence, outcome)]!;
}
