import { fitDecision } from '@anyclass/core';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { command } from '../commandLine/command.js';
import { parseOptions } from '../commandLine/parse.js';
import { UsageError } from '../errors/usageError.js';
import { chosenDecision, decisionFields, requestedChange } from './decisionOptions.js';

const decide = command({
  name: 'decide',
  summary: '',
  examples: [],
  options: z.object(decisionFields),
  run: async (options) => chosenDecision(options),
});
const chosen = (words: string) => chosenDecision(parseOptions(decide, words.split(' ').filter(Boolean)));

test.each([
  ['', {}],
  ['--false-alarms 0.02', { budget: { falseAlarms: 0.02 } }],
  ['--false-alarms 0.02 --confidence none', { budget: { falseAlarms: 0.02, confidence: null } }],
  ['--confidence 0.99', { budget: { falseAlarms: 0.05, confidence: 0.99 } }],
  ['--f1-neg 0.9 --beta 2', { budget: { f1Neg: 0.9 }, beta: 2 }],
  ['--false-alarms 1% --missed 5%', { budget: { falseAlarms: 0.01, missed: 0.05 } }],
  ['--missed 0.05 --per group', { budget: { falseAlarms: 0.05, missed: 0.05, per: 'group' } }],
  ['--per image', { budget: { falseAlarms: 0.05 } }],
  ['--rule shared', { rule: 'shared' }],
  ['--rule class --beta 2', { rule: 'class', beta: 2 }],
])('%j sets only the given options: %j', (words, expected) => {
  expect(chosen(words)).toEqual(expected);
});

test.each([
  ['', {}],
  ['--missed 0.1', { budget: { missed: 0.1 } }],
  ['--missed none', { budget: { missed: undefined } }],
  ['--per image', { budget: { per: 'image' } }],
  ['--confidence none --beta 2', { budget: { confidence: null }, beta: 2 }],
])('%j of a model sets no default: %j', (words, expected) => {
  expect(requestedChange(parseOptions(decide, words.split(' ').filter(Boolean)))).toStrictEqual(expected);
});

test('a confidence alone comes with the false-alarm budget that core defaults to', () => {
  const validation = {
    scores: new Float64Array([0.9, 0.2]),
    targets: [1, 0],
    classNames: ['crack'],
    split: 'validation',
  };
  expect(fitDecision(validation, chosen('--confidence 0.95')).budget).toEqual(fitDecision(validation).budget);
});

describe('an invalid combination is rejected with the name of the option', () => {
  test.each([
    ['--false-alarms 0.1 --f1-neg 0.9', 'f1Neg'],
    ['--f1-neg 0.9 --confidence 0.9', 'confidence'],
    ['--f1-neg 0.9 --missed 0.1', 'missed'],
    ['--f1-neg 0.9 --per group', 'per'],
    ['--rule shared --missed 0.1', 'missed'],
    ['--rule class --missed 0.1', 'missed'],
    ['--rule class --false-alarms 0.1', 'falseAlarms'],
    ['--rule class --confidence none', 'confidence'],
    ['--rule fixed --f1-neg 0.5', 'f1Neg'],
    ['--rule fixed --beta 2', 'beta'],
  ])('%s', (words, option) => {
    expect(() => chosen(words)).toThrow(expect.objectContaining({ name: 'UsageError', option }));
  });

  test.each([
    ['--false-alarms 5', '--false-alarms'],
    ['--confidence 1', '--confidence: expected a number between 0 and 1, or none'],
    ['--confidence sure', "got 'sure'"],
    ['--rule gates', "did you mean 'gate'?"],
    ['--beta 0', '--beta'],
  ])('%s', (words, message) => {
    expect(() => chosen(words)).toThrow(UsageError);
    expect(() => chosen(words)).toThrow(message);
  });
});
