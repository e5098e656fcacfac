import { describe, expect, test } from 'vitest';
import { fixtureFolder } from '../../test/hostile/fixture.js';
import type { CheckpointValue } from './checkpointValue.js';
import { readPytorchCheckpoint } from './pytorchCheckpoint.js';
import { findStateDict } from './stateDict.js';

const tensor = { dtype: 'float32', shape: [1], data: new Uint8Array(4) } as const;
const weights = dictionary({ 'fc.weight': tensor, 'fc.bias': tensor });

describe('the weights are', () => {
  test('the whole checkpoint, when it holds nothing but tensors', () => {
    expect(findStateDict(weights)).toEqual({ tensors: weights, key: undefined, others: [] });
  });

  test('under state_dict, in a Lightning checkpoint', () => {
    const { tensors, key } = findStateDict(readPytorchCheckpoint(`${fixtureFolder}lightning_113.pt`).value);
    expect(key).toBe('state_dict');
    expect([...tensors.keys()]).toEqual(['model.weight', 'model.bias']);
  });

  test("under model_state_dict, next to the optimizer's state", () => {
    const { tensors, key } = findStateDict(readPytorchCheckpoint(`${fixtureFolder}optimizer_113.pt`).value);
    expect(key).toBe('model_state_dict');
    expect([...tensors.keys()]).toEqual(['weight', 'bias']);
  });

  test.each(['model', 'net', 'state_dict_ema', 'ema'])('under %s, if no preferred key is present', (key) => {
    expect(findStateDict(dictionary({ epoch: 3, [key]: weights }))).toEqual({
      tensors: weights,
      key,
      others: [],
    });
  });

  test('the trained ones if there are averaged ones too, unless those are requested', () => {
    const averaged = dictionary({ 'fc.weight': tensor });
    const both = dictionary({ state_dict_ema: averaged, state_dict: weights });
    expect(findStateDict(both)).toMatchObject({ key: 'state_dict', others: ['state_dict_ema'] });
    expect(findStateDict(both, { key: 'state_dict_ema' })).toEqual({
      tensors: averaged,
      key: 'state_dict_ema',
      others: ['state_dict'],
    });
  });
});

describe('without weights, the error lists what there is:', () => {
  const cases: [string, CheckpointValue, string][] = [
    [
      'the keys',
      dictionary({ epoch: 3, models: weights, model: { className: 'nets.Net', path: 'model' } }),
      '"epoch" (number), "models" (a dictionary of 2), "model" (the unread object nets.Net)',
    ],
    ['a list', [tensor], 'a checkpoint that is a list of 1'],
    ['a whole module', { className: 'nets.Net', path: '' }, 'save its state_dict() instead of the object'],
    ['an empty dictionary', new Map(), 'a checkpoint that is a dictionary of 0'],
    [
      'a dictionary with other values among the tensors',
      dictionary({ w: tensor, n: 1 }),
      '"w" (a tensor), "n" (number)',
    ],
  ];
  test.each(cases)('%s', (_, checkpoint, message) => {
    expect(() => findStateDict(checkpoint)).toThrow(TypeError);
    expect(() => findStateDict(checkpoint)).toThrow(message);
  });

  test('a key that was requested', () => {
    const checkpoint = dictionary({ state_dict: weights });
    expect(() => findStateDict(checkpoint, { key: 'ema' })).toThrow(
      /no state dict under "ema" in a checkpoint with the keys "state_dict" \(a dictionary of 2\)/,
    );
  });
});

function dictionary(entries: Record<string, CheckpointValue>): Map<CheckpointValue, CheckpointValue> {
  return new Map(Object.entries(entries));
}
