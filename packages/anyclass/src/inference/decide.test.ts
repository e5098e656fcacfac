import { expect, test } from 'vitest';
import { UserError } from '../errors/userError.js';
import { fitOnValidation } from './decide.js';

const allPositive = {
  scores: Float64Array.of(0.9, 0.2, 0.4, 0.8, 0.7, 0.6),
  targets: [1, 0, 0, 1, 1, 1],
  classNames: ['crack', 'root'],
  split: 'site',
};

test('a budget without negatives is an error that names the data, not another rule', () => {
  const fit = () => fitOnValidation(allPositive, { budget: { falseAlarms: 0.05 } });
  expect(fit).toThrow(UserError);
  expect(fit).toThrow('site has no negatives');
  expect(fitOnValidation(allPositive, { rule: 'class' }).decision.rule).toBe('class');
});

test('a run that was trained without negatives gets a threshold per class and says so', () => {
  const notes: string[] = [];
  const { decision } = fitOnValidation(
    allPositive,
    {},
    { orPerClass: true, note: (text) => notes.push(text) },
  );
  expect(decision.rule).toBe('class');
  expect(notes[0]).toContain('No negatives');
});
