import { expect, test } from 'vitest';
import { validateConfiguration } from '../configuration/validate.js';
import { idleFields } from './idleFields.js';

const found = (fields: object) =>
  idleFields(validateConfiguration({ data: { dataset: 'digits' }, epochs: 5, ...fields }));

test('fields that have no effect, or take it from all others, are warned about', () => {
  expect(found({})).toEqual([]);
  expect(found({ plainEpochs: 4, sizes: [{ epoch: 5, size: 64 }], mixing: { union: 1 } })).toEqual([]);
  expect(found({ plainEpochs: 5 })).toEqual([expect.stringMatching(/^warning: plainEpochs is 5.* 5 epochs/)]);
  expect(found({ sizes: [{ epoch: 6, size: 64 }] })).toEqual([expect.stringMatching(/sizes: .*epoch 6/)]);
  expect(found({ sizes: 'progressive', batchSize: 1 })).toEqual([]);
  expect(found({ batchSize: 1, mixing: { mixup: 0.5 } })).toEqual([
    expect.stringMatching(/mixing has no effect/),
  ]);
});
