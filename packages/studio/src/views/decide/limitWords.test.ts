import { fitDecision } from '@anyclass/core';
import { expect, test } from 'vitest';
import { limitWords } from './limitWords.js';

test('limits are said of what they count: images, images of groups, or whole groups', () => {
  const wordsOf = (groups: readonly number[] | undefined, per?: 'group') => {
    const { report } = fitDecision(
      {
        scores: Float64Array.of(0.1, 0.2, 0.8, 0.9),
        targets: Float32Array.of(0, 0, 1, 1),
        classNames: ['crack'],
        split: 'validation',
        ...(groups && { groups: Int32Array.from(groups) }),
      },
      { budget: { falseAlarms: 0.5, confidence: 0.5, ...(per && { per }) } },
    );
    return Object.values(limitWords(report, { ...(per && { per }) })).join('; ');
  };
  expect(wordsOf(undefined)).toBe('negatives raise an alarm; positives are cleared; ');
  expect(wordsOf([1, 2, 3, 4])).toMatch(/^negatives.*counting each group equally$/);
  expect(wordsOf([1, 1, 2, 2], 'group')).toBe(
    'groups without positives get an alarm; groups with a positive are cleared; ',
  );
});
