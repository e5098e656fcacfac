import type { Scored } from '@anyclass/core';
import type { ScoredRows } from '../inference/scoreRows.js';

/** The logits and labels of a split, and its probabilities. */
export type SplitScores = ScoredRows & { readonly scored: Scored };
