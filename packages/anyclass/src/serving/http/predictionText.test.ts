import { OUTCOMES } from '@anyclass/core';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fixedDecision } from '../../inference/modelDecision.js';
import { named } from '../../inference/predictor.js';
import { createPredictionText } from './predictionText.js';

const anyNumber = fc.float();
const rows = fc.uniqueArray(fc.string(), { minLength: 1, maxLength: 6 }).chain((classes) =>
  fc.record({
    name: fc.string(),
    classes: fc.constant(classes),
    probabilities: fc.array(anyNumber, { minLength: classes.length, maxLength: classes.length }),
    labels: fc.array(fc.integer({ min: 0, max: 1 }), {
      minLength: classes.length,
      maxLength: classes.length,
    }),
    thresholds: fc.array(fc.option(fc.double()), { minLength: classes.length, maxLength: classes.length }),
    presence: fc.option(fc.double({ min: 0, noNaN: true })),
    presenceScore: anyNumber,
    outcome: fc.constantFrom(...OUTCOMES),
  }),
);

test('the text is the JSON of the named prediction, whatever its names and numbers', () => {
  fc.assert(
    fc.property(rows, ({ name, classes, labels, presence, thresholds, presenceScore, outcome, ...row }) => {
      const probabilities = Float32Array.from(row.probabilities);
      const decision = { ...fixedDecision(classes, 0.5), presence, thresholds };
      const predicted = classes.filter((_, j) => labels[j] === 1);
      const expected = named(
        { name, probabilities, presenceScore, outcome, labels: predicted },
        classes,
        decision,
      );
      const text = createPredictionText(classes, decision)(name, {
        logits: probabilities,
        probabilities,
        presenceScore,
        outcome,
        labels: Uint8Array.from(labels),
      });
      expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify({ name, ...expected })));
    }),
  );
});
