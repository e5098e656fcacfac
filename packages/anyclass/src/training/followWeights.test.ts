import { expect, test } from 'vitest';
import { followWeights } from './followWeights.js';

const weights = 'timm/tf_efficientnetv2_s.in1k';

test("network, input size and padding default to the weights' own; given ones stay", async () => {
  const own = { name: 'efficientnetv2-s', inputSize: 300, padding: 'tensorflow' };
  expect(await followWeights({ network: { weights } })).toEqual({ network: { ...own, weights } });
  const given = { weights, inputSize: 128, padding: 'symmetric' };
  expect(await followWeights({ network: given })).toEqual({ network: { ...own, ...given } });
});
