// Where the gate can stand. Only which rows pass matters to a fit, so a gate is kept as their number.

import { ROW_NEGATIVE } from '../labels/instancePresence.js';
import { type DecisionRows, type DecisionSample, rowsAtLeast } from './decisionRows.js';

/** A possible gate. */
export interface Gate {
  /** Rows with at least this presence score pass; null lets none pass. */
  readonly presence: number | null;
  /** How many rows pass, which are the first by presence. */
  readonly passing: number;
}

const EVEN_RANKS = 256;

/** τ = ∞: nothing passes. */
export const CLOSED_GATE: Gate = { presence: null, passing: 0 };

/** τ = ∞, the presence scores at 256 even ranks and τ = 0, from the highest to the lowest. */
export function coarseGates(sample: DecisionSample): Gate[] {
  const { rows } = sample;
  const ranked = evenRanks(sample).map((presence) => gateAt(rows, presence));
  return [CLOSED_GATE, ...ranked, { presence: 0, passing: rows.rows }];
}

/** A gate at every distinct presence score between two gates, neither of them included, from the highest to the lowest. */
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

/** The gate that only scores strictly above that of the `rank`-th lowest negative pass. */
export function gateAboveNegative({ rows, multiplicities }: DecisionSample, rank: number): Gate {
  const { presence, byPresence, rowKinds } = rows;
  let seen = 0;
  for (let k = byPresence.length - 1; k >= 0; k--) {
    const row = byPresence[k]!;
    if (rowKinds[row] !== ROW_NEGATIVE) continue;
    seen += multiplicities[row]!;
    if (seen < rank) continue;
    if (presence[row] === Number.POSITIVE_INFINITY) return CLOSED_GATE;
    const above = nextUp(presence[row]!);
    return { presence: above, passing: rowsAtLeast(byPresence, presence, above) };
  }
  return CLOSED_GATE;
}

/** The presence scores at ranks i / 256 from the lowest up, from the highest to the lowest, each once. */
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

function gateAt({ presence, byPresence }: DecisionRows, score: number): Gate {
  return { presence: finite(score), passing: rowsAtLeast(byPresence, presence, score) };
}

/** A row with a probability of 1 has an infinite score; JSON does not know infinity, and no other row comes near this. */
function finite(score: number): number {
  return Math.min(score, Number.MAX_VALUE);
}

/** The next larger float64, for a number of at least 0. */
function nextUp(value: number): number {
  const bits = new BigInt64Array(new Float64Array([value]).buffer);
  bits[0] = bits[0]! + 1n;
  return new Float64Array(bits.buffer)[0]!;
}
