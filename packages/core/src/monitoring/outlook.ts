import { type Bet, FRACTIONS } from './bets.js';
import type { PromiseEvent } from './promiseEvents.js';

/** Where a log stands. */
interface Standing {
  readonly events: readonly PromiseEvent[];
  readonly images: number;
  readonly verdict: 'holds' | 'broken' | 'undecided';
  readonly accusing: Bet;
  readonly certifying: Bet;
  readonly threshold: number;
}

/**
 * Estimates the rate, weighing each event that the coin drew by 1 / q, and how many more audits a verdict takes if events go on
 * at the frequencies seen so far.
 */
export function outlookOf({ events, images, verdict, accusing, certifying, threshold }: Standing): {
  estimate: number | null;
  auditsToDecide: number | null;
} {
  let against = 0;
  let others = 0;
  let drawnOthers = 0;
  for (const { isAgainst, isConcerned, q } of events) {
    if (isConcerned !== true) continue;
    if (isAgainst) against++;
    else {
      others += 1 / q;
      drawnOthers++;
    }
  }
  const concerned = against + others;
  if (concerned === 0) return { estimate: null, auditsToDecide: verdict === 'undecided' ? null : 0 };
  const estimate = against / concerned;
  if (verdict !== 'undecided') return { estimate, auditsToDecide: 0 };
  const bet = estimate > accusing.rate ? accusing : certifying;
  const q = events.at(-1)!.q;
  const gains = bet.gainsOf(q);
  // The fraction that gains the most per image, at the frequencies seen.
  let growth = 0;
  for (let k = 0; k < FRACTIONS.length; k++) {
    const gained = (against * gains.against.logs[k]! + drawnOthers * gains.other.logs[k]!) / images;
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
