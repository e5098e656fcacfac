import { expect, test } from 'vitest';
import { fixedDecision } from '../../inference/modelDecision.js';
import { Cancellation } from './cancellation.js';
import type { InferenceThread } from './inferenceThread.js';
import { createVersion } from './modelVersion.js';

const features = ['width', 'height'];
const classes = ['crack'];
const stride = 4 * features.length;

/** A thread whose model says the first feature, with memory for two instances and batches of one. */
function smallThread(batches: number[]): InferenceThread {
  const pixels = new Uint8Array(2 * stride);
  const numbers = new Float32Array(pixels.buffer);
  const decision = fixedDecision(classes, 0.5);
  const description = { classes, features, epoch: 1, loss: 'bce', dataset: 'pipes', decision } as const;
  return {
    model: {
      description,
      network: 'mlp',
      runtime: 'libtorch',
      device: 'cpu',
      precision: 'float32',
      remarks: [],
      version: '1',
      explains: false,
      format: { features: features.length },
      decision,
      decisionRemarks: [],
    },
    pixels,
    batchSize: 1,
    mostStarted: 1,
    async score({ slots }) {
      batches.push(slots.length);
      const logits = Float32Array.from(slots, (slot) => numbers[features.length * slot]!);
      await new Promise(setImmediate);
      return {
        logits,
        probabilities: logits,
        presence: new Float64Array(slots.length),
        labels: new Uint8Array(slots.length),
        outcomes: slots.map(() => 'clear' as const),
        seconds: 0,
      };
    },
    onDeath: () => {},
    close: async () => {},
  };
}

const listener = { decoded() {}, waited() {}, computed() {} };

test('with memory for fewer images than are in flight, the others wait; batches are no larger than the thread allows', async () => {
  const batches: number[] = [];
  const version = createVersion(smallThread(batches), {
    maxBatch: 32,
    maxDelay: 0,
    maxPixels: 100,
    listener,
    turn: (work) => work(),
  });
  const answers = await Promise.all(
    Array.from({ length: 9 }, (_, i) =>
      version.predict({ kind: 'row', values: [i, 0] }, new Cancellation(), {}),
    ),
  );
  expect(answers.map(({ logits }) => logits[0])).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
  expect(batches).toEqual(Array(9).fill(1));
  await version.close();
});
