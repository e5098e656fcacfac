// Which rows a model is least sure about: those whose presence is next to the gate.

/** Of as many rows per wanted one, those that are spread out are taken. */
export const poolFactor = 5;

/**
 * Returns the rows nearest to the gate, nearest first, by the distance of logarithms of presence scores: next to 0, a score is a
 * probability, and its odds matter.
 *
 * @param gate the presence score of the gate; null for a decision without one, where the rows that are likeliest come first
 *
 * @example
 * nearestToGate(Float64Array.of(0.01, 0.4, 3), 0.5, 2) // [1, 2]
 */
export function nearestToGate(presence: Float64Array, gate: number | null, count: number): number[] {
  const distance =
    gate === null || gate === 0
      ? (score: number) => -score
      : (score: number) => Math.abs(Math.log(Math.max(score, 1e-12)) - Math.log(gate));
  const distances = presence.map(distance);
  return Array.from(presence.keys())
    .sort((a, b) => distances[a]! - distances[b]! || a - b)
    .slice(0, count);
}
