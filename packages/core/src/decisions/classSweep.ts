// One class at many gates. Rows pass one after another, from the highest presence down, and each is counted at its place
// among the class's ranked scores; at every gate the counts are complete.
//
// The best threshold is always the score of a positive: between two positives, lowering it only adds false positives. So
// ranked entries are counted by segment, each of which ends with the scores tied to a positive, and segments are counted
// by block, most of which the search can skip.

import type { Multiplicities } from '../metrics/classCounts.js';
import type { DecisionSample } from './decisionRows.js';
import type { Gate } from './gates.js';
import { BLOCK_SHIFT, type Segments } from './segments.js';

/**
 * Calls `visit` at each gate, from the highest to the lowest, once the segments have that gate's counts. `visit` returns
 * the last segment that it depends on: if only rows in later segments with the class absent pass after that, the next
 * gate is reported as unchanged. A gate that no row passes is not visited: nothing is predicted there.
 */
export function sweepGates(
  segments: Segments,
  { timesByPresence }: DecisionSample,
  gates: readonly Gate[],
  visit: (gate: number, isChanged: boolean) => number,
): void {
  const { slots, counts, blocks } = segments;
  let watched = -1;
  let isFirst = true;
  gates.forEach(({ passing }, gate) => {
    if (passing === 0) return;
    if (passing < segments.passed) takeBack(segments, timesByPresence, passing);
    let isChanged = isFirst;
    isFirst = false;
    for (let row = segments.passed; row < passing; row++) {
      const times = timesByPresence[row]!;
      if (times === 0) continue;
      const slot = slots[row]!;
      const segment = slot >>> 1;
      const block = 2 * (segment >>> BLOCK_SHIFT);
      counts[2 * segment] = counts[2 * segment]! + times;
      blocks[block] = blocks[block]! + times;
      if (slot & 1) {
        counts[slot] = counts[slot]! + times;
        blocks[block + 1] = blocks[block + 1]! + times;
        isChanged = true;
      } else if (segment <= watched) isChanged = true;
    }
    segments.passed = passing;
    watched = visit(gate, isChanged);
  });
}

/** Makes the segments of an earlier sweep hold no more rows than pass a gate, whichever way is shorter. */
function takeBack(segments: Segments, timesByPresence: Multiplicities, passing: number): void {
  const { slots, counts, blocks } = segments;
  if (2 * passing < segments.passed) {
    counts.fill(0);
    blocks.fill(0);
    segments.passed = 0;
    return;
  }
  for (let row = passing; row < segments.passed; row++) {
    const times = timesByPresence[row]!;
    const slot = slots[row]!;
    const segment = slot >>> 1;
    const block = 2 * (segment >>> BLOCK_SHIFT);
    counts[2 * segment] = counts[2 * segment]! - times;
    blocks[block] = blocks[block]! - times;
    if (slot & 1) {
      counts[slot] = counts[slot]! - times;
      blocks[block + 1] = blocks[block + 1]! - times;
    }
  }
  segments.passed = passing;
}

/** Counts of the passed entries up to the end of a segment. */
export interface Cut {
  /** The last segment; -1 for none. */
  readonly segment: number;
  readonly predicted: number;
  readonly truePositives: number;
}

/**
 * Returns the cut with the highest F_β; among equals the first, which has the largest threshold. The cut is empty if no
 * positive has passed.
 *
 * F_β = (1 + β²) TP / (predicted + β² positives), where positives that did not pass count as missed. So cuts are compared
 * by TP / (predicted + weightedPositives), with weightedPositives = β² positives.
 *
 * @param guess a segment where the best cut may end, or -1; the better the guess, the more blocks can be skipped
 */
export function bestCut(segments: Segments, weightedPositives: number, guess: number): Cut {
  const { counts, blocks, ends } = segments;
  const guessed = cutAfter(segments, guess);
  const leastRatio = guess < 0 ? 0 : guessed.truePositives / (guessed.predicted + weightedPositives);
  let best = -1;
  let bestRatio = 0;
  let predicted = 0;
  let truePositives = 0;
  for (let block = 0; 2 * block < blocks.length; block++) {
    const blockPositives = blocks[2 * block + 1]!;
    // No cut in this block can beat having all of its positives first.
    const bound = (truePositives + blockPositives) / (predicted + blockPositives + weightedPositives);
    if (!(bound > bestRatio) || bound < leastRatio) {
      predicted += blocks[2 * block]!;
      truePositives += blockPositives;
      continue;
    }
    const until = Math.min((block + 1) << BLOCK_SHIFT, ends.length);
    for (let segment = block << BLOCK_SHIFT; segment < until; segment++) {
      predicted += counts[2 * segment]!;
      truePositives += counts[2 * segment + 1]!;
      const ratio = truePositives / (predicted + weightedPositives);
      if (ratio > bestRatio) {
        bestRatio = ratio;
        best = segment;
      }
    }
  }
  return cutAfter(segments, best);
}

/** Returns the cut after the last segment that ends at or before `position` among the ranked entries. */
export function cutBefore(segments: Segments, position: number): Cut {
  let low = 0;
  let high = segments.ends.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (segments.ends[middle]! <= position) low = middle + 1;
    else high = middle;
  }
  return cutAfter(segments, low - 1);
}

function cutAfter({ counts, blocks }: Segments, last: number): Cut {
  const fullBlocks = (last + 1) >>> BLOCK_SHIFT;
  let predicted = 0;
  let truePositives = 0;
  for (let block = 0; block < fullBlocks; block++) {
    predicted += blocks[2 * block]!;
    truePositives += blocks[2 * block + 1]!;
  }
  for (let segment = fullBlocks << BLOCK_SHIFT; segment <= last; segment++) {
    predicted += counts[2 * segment]!;
    truePositives += counts[2 * segment + 1]!;
  }
  return { segment: last, predicted, truePositives };
}
