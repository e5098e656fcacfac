import { expect, test } from 'vitest';
import { validateConfiguration } from '../configuration/validate.js';
import { candidateLists } from './candidates.js';
import type { JudgedCandidate } from './judgedRound.js';
import { recommendLoss } from './recommendation.js';

const { loss } = validateConfiguration({ data: { dataset: 'digits' } });
const candidates = candidateLists(loss, { keepsOwn: false }).at(-1)!;

/** A round in which nothing can be told apart, in this order. */
function verdictOf(labels: readonly string[], best = 0.5) {
  const losses = labels.map((label, i): JudgedCandidate => {
    const candidate = candidates.find((one) => one.label === label)!;
    const f1 = Math.max(0, best - i / 100);
    return {
      candidate,
      f1,
      falseAlarmRate: 0.05,
      mAP: 0.5,
      difference: null,
      isWithinNoise: true,
    };
  });
  return recommendLoss({
    decision: { rule: 'gate', budget: { falseAlarms: 0.05, confidence: 0.95 }, beta: 1 },
    rounds: [
      {
        losses,
        seeds: [1],
        effects: [],
        replicates: 100,
        confidence: 0.95,
        instances: 100,
        epochs: 1,
        missing: [],
      },
    ],
    full: { train: 100, validation: 100, epochs: 1 },
    speed: { imagesPerSecond: 1, overheadSeconds: 0, sideBySide: 1 },
    minutes: 1,
    spentSeconds: 1,
  });
}

test('the simplest of equal losses is recommended, but not the one that did worst', () => {
  expect(verdictOf(['any-bce λ=0.1', 'bce', 'asl']).label).toBe('bce');
  expect(verdictOf(['any-bce λ=0.1', 'asl', 'bce']).label).toBe('asl');
  expect(verdictOf(['any-bce λ=0.1', 'bce']).label).toBe('any-bce λ=0.1');
});

test('pilots that find nothing cannot tell losses apart; that they are equal is no result', () => {
  const { verdict, matters, label } = verdictOf(['any-bce λ=0.1', 'bce', 'asl'], 0);
  expect(matters).toBeNull();
  expect(verdict).toMatch(/^The pilots cannot tell the losses apart: none of them finds anything/);
  expect(label).toBe('bce');
  expect(verdictOf(['any-bce λ=0.1', 'bce', 'asl']).matters).toBe(false);
});
