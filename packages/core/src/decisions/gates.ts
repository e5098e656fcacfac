// Candidate gates. A fit depends only on which rows pass, so a gate is stored as their number.

import { type DecisionRows, type DecisionSample, rowsAtLeast } from './decisionRows.js';

/** A possible gate. */
export interface Gate {
  /** Rows with at least this presence score pass; null lets none pass. */
  readonly presence: number | null;
  /** How many rows pass; they are the first in presence order. */
  readonly passing: number;
}

const EVEN_RANKS = 256;

/** τ = ∞: nothing passes. */
export const CLOSED_GATE: Gate = { presence: null, passing: 0 };

/** Returns τ = ∞, the presence scores at 256 evenly spaced ranks, and τ = 0, from the highest to the lowest. */
export function coarseGates(sample: DecisionSample): Gate[] {
  const { rows } = sample;
  const ranked = evenRanks(sample).map((presence) => gateAt(rows, presence));
  return [CLOSED_GATE, ...ranked, { presence: 0, passing: rows.rows }];
}

/** Returns a gate at every distinct presence score strictly between two gates, from the highest to the lowest. */
export function gatesBetween({ rows, multiplicities }: DecisionSample, upper: Gate, lower: Gate): Gate[] {
  const { presence, byPresence } = rows;
  const gates: Gate[] = [];
  let counts = false;
  for (let k = upper.passing; k < lower.passing; k++) {
    const row = byPresence[k]!;
    counts ||= multiplicities[row]! > 0;
    const next = byPresence[k + 1];
    const endsTie = next === undefined || presence[next]! < presence[row]!;
    if (!endsTie) continue;
    if (counts && k + 1 < lower.passing) gates.push({ presence: finite(presence[row]!), passing: k + 1 });
    counts = false;
  }
  return gates;
}

/** Returns the gate that only rows with a presence score strictly above `score` pass. */
export function gateAbove({ presence, byPresence }: DecisionRows, score: number): Gate {
  if (score === Number.POSITIVE_INFINITY) return CLOSED_GATE;
  const above = nextUp(score);
  return { presence: above, passing: rowsAtLeast(byPresence, presence, above) };
}

/** Returns the distinct presence scores at ranks i / 256 (counted from the lowest), from the highest to the lowest. */
function evenRanks({ rows, multiplicities, totals }: DecisionSample): number[] {
  const { presence, byPresence } = rows;
  const values: number[] = [];
  let seen = 0;
  let step = 0;
  for (let k = byPresence.length - 1; k >= 0 && step < EVEN_RANKS; k--) {
    const row = byPresence[k]!;
    seen += multiplicities[row]!;
    if (Math.floor((step * totals.all) / EVEN_RANKS) >= seen) continue;
    while (step < EVEN_RANKS && Math.floor((step * totals.all) / EVEN_RANKS) < seen) step++;
    if (values.at(-1) !== presence[row]) values.push(presence[row]!);
  }
  return values.reverse();
}

/** Returns the gate that rows with at least this presence score pass. */
export function gateAt({ presence, byPresence }: DecisionRows, score: number): Gate {
  return { presence: finite(score), passing: rowsAtLeast(byPresence, presence, score) };
}

/** A row with a probability of 1 has an infinite score, which JSON cannot hold; no other row comes near this value. */
function finite(score: number): number {
  return Math.min(score, Number.MAX_VALUE);
}

/** Returns the next larger float64, for a number of at least 0. */
function nextUp(value: number): number {
  const bits = new BigInt64Array(new Float64Array([value]).buffer);
  bits[0] = bits[0]! + 1n;
  return new Float64Array(bits.buffer)[0]!;
}
