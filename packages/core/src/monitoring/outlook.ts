import type { AuditEvent } from './auditEvents.js';
import { type Bet, FRACTIONS } from './bets.js';

/** Where a log stands. */
interface Standing {
  readonly events: readonly AuditEvent[];
  readonly images: number;
  readonly verdict: 'holds' | 'broken' | 'undecided';
  readonly accusing: Bet;
  readonly certifying: Bet;
  readonly threshold: number;
}

/**
 * Estimates the rate, weighing each drawn quiet negative by 1 / q, and how many more audits a verdict takes if events go on
 * at the frequencies seen so far.
 */
export function outlookOf({ events, images, verdict, accusing, certifying, threshold }: Standing): {
  estimate: number | null;
  auditsToDecide: number | null;
} {
  let falseAlarms = 0;
  let quiet = 0;
  let drawnQuiet = 0;
  for (const { isAlarm, isNegative, q } of events) {
    if (isNegative !== true) continue;
    if (isAlarm) falseAlarms++;
    else {
      quiet += 1 / q;
      drawnQuiet++;
    }
  }
  const negatives = falseAlarms + quiet;
  if (negatives === 0) return { estimate: null, auditsToDecide: verdict === 'undecided' ? null : 0 };
  const estimate = falseAlarms / negatives;
  if (verdict !== 'undecided') return { estimate, auditsToDecide: 0 };
  const bet = estimate > accusing.rate ? accusing : certifying;
  const q = events.at(-1)!.q;
  const gains = bet.gainsOf(q);
  // The fraction that gains the most per image, at the frequencies seen.
  let growth = 0;
  for (let k = 0; k < FRACTIONS.length; k++) {
    const gained =
      (falseAlarms * gains['false alarm'].logs[k]! + drawnQuiet * gains['quiet negative'].logs[k]!) / images;
    growth = Math.max(growth, gained);
  }
  if (growth <= 0) return { estimate, auditsToDecide: null };
  // That fraction's capital is one of 24 in the mean.
  const missing = Math.max(
    Math.log(threshold * FRACTIONS.length) - growth * images,
    Math.log(threshold / bet.capital),
  );
  return { estimate, auditsToDecide: Math.ceil((Math.max(0, missing) / growth) * (events.length / images)) };
}
