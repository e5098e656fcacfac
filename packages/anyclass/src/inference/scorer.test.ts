import { hasCuda, setSeed } from '@anyclass/torch';
import { describe, expect, test } from 'vitest';
import { createNetwork } from '../networks/createNetwork.js';
import { moveNetwork } from '../networks/moveNetwork.js';
import { chooseCompute } from './computeDevice.js';
import { createScorer, type Scores } from './scorer.js';

const input = { channels: 3, mean: [0.5], std: [0.25] } as const;
const noCuda = hasCuda() ? '' : ' (skipped: no CUDA device)';

function opened(device: 'cpu' | 'cuda') {
  setSeed(1);
  const network = createNetwork('tresnet-s', { classes: 3, inputSize: 32 }).eval().requireGrad(false);
  const settings = chooseCompute({ device, precision: 'float32' });
  moveNetwork(network, settings.device);
  const scorer = createScorer(network, { ...settings, batchSize: 4, input, hasEmbeddings: true });
  return { network, scorer };
}

const batch = (seed: number) => ({
  size: 4,
  inputs: Uint8Array.from({ length: 4 * 32 * 32 * 3 }, (_, i) => (i * i * seed) % 251),
});

test('on the CPU, nothing is started ahead; each row has its logits and embedding', async () => {
  const { network, scorer } = opened('cpu');
  expect(scorer.start).toBeUndefined();
  const { logits, embeddings } = await scorer.score(batch(1));
  expect(logits).toHaveLength(4 * 3);
  expect(embeddings!.length % 4).toBe(0);
  network.dispose();
});

describe.skipIf(!hasCuda())(`on a GPU${noCuda}`, () => {
  test('batches that are started one behind the other get the scores that each gets alone', async () => {
    const { network, scorer } = opened('cuda');
    const batches = Array.from({ length: 8 }, (_, i) => batch(i + 1));
    const alone: Scores[] = [];
    for (const each of batches) alone.push(await scorer.score(each));
    const started = batches.map((each) => scorer.start!(each));
    started.forEach((each, i) => {
      expect(each.read()).toEqual(alone[i]);
      expect(each.isDone).toBe(true);
      each[Symbol.dispose]();
    });
    network.dispose();
  });
});
