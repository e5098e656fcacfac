import { setTimeout as pause } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createBatcher } from './batcher.js';
import { Cancellation } from './cancellation.js';

const never = new Cancellation();

/** Creates a model whose batches finish when the test calls `end`. */
function model(options: { maxBatch: number; maxDelay?: number; mostStarted?: number }) {
  const batches: number[][] = [];
  const released: number[] = [];
  const ends: (() => void)[] = [];
  const batcher = createBatcher<number, string>({
    maxDelay: 0,
    ...options,
    async compute(items) {
      batches.push([...items]);
      await new Promise<void>((end) => ends.push(end));
      if (items.includes(-1)) throw new Error('failed');
      return items.map((item) => `answer ${item}`);
    },
    release: (item) => void released.push(item),
  });
  const end = async () => {
    ends.shift()!();
    await pause(0);
  };
  return { batcher, batches, released, end };
}

test('an idle model starts at once with the images it has; a busy one collects up to a full batch', async () => {
  const { batcher, batches, end } = model({ maxBatch: 3 });
  const answers = [1, 2, 3, 4, 5].map((item) => batcher.add(item, never));
  expect(batches).toEqual([[1]]);
  expect(batcher.waiting).toBe(4);
  await end();
  expect(batches).toEqual([[1], [2, 3, 4]]);
  await end();
  await end();
  expect(batches).toEqual([[1], [2, 3, 4], [5]]);
  expect(await Promise.all(answers)).toEqual([1, 2, 3, 4, 5].map((item) => `answer ${item}`));
});

test('a model that works on two batches at once gets a second one when it is full', async () => {
  const { batcher, batches, end } = model({ maxBatch: 2, mostStarted: 2 });
  const answers = [1, 2, 3, 4, 5, 6].map((item) => batcher.add(item, never));
  // The fourth to sixth wait: both places are taken.
  expect(batches).toEqual([[1], [2, 3]]);
  await end();
  expect(batches).toEqual([[1], [2, 3], [4, 5]]);
  await end();
  // The last one alone does not fill a batch while another is computed.
  expect(batches).toHaveLength(3);
  await end();
  await end();
  expect(batches).toEqual([[1], [2, 3], [4, 5], [6]]);
  expect(await Promise.all(answers)).toEqual([1, 2, 3, 4, 5, 6].map((item) => `answer ${item}`));
});

test('with a delay, an idle model waits for a full batch, but no longer than the delay', async () => {
  const { batcher, batches } = model({ maxBatch: 2, maxDelay: 5 });
  void batcher.add(1, never);
  expect(batches).toEqual([]);
  void batcher.add(2, never);
  expect(batches).toEqual([[1, 2]]);
  const alone = model({ maxBatch: 2, maxDelay: 5 });
  void alone.batcher.add(1, never);
  await expect.poll(() => alone.batches).toEqual([[1]]);
});

test('a canceled item is dropped from its batch and rejected with the reason at once', async () => {
  const { batcher, batches, released, end } = model({ maxBatch: 3 });
  const leaving = new Cancellation();
  void batcher.add(1, never);
  const left = batcher.add(2, leaving);
  void batcher.add(3, never);
  leaving.cancel(new Error('left'));
  await expect(left).rejects.toThrow('left');
  expect(released).toEqual([2]);
  await end();
  expect(batches).toEqual([[1], [3]]);
});

test('a failed batch is rejected, and the next ones are computed', async () => {
  const { batcher, batches, released, end } = model({ maxBatch: 1 });
  const [failed, fine] = [batcher.add(-1, never), batcher.add(2, never)];
  const refusal = expect(failed).rejects.toThrow('failed');
  await end();
  await end();
  await refusal;
  expect(await fine).toBe('answer 2');
  expect(batches).toEqual([[-1], [2]]);
  expect(released).toEqual([-1, 2]);
});

test('every image gets its own answer once, however images arrive, and its memory is released once', async () => {
  const runs = fc.array(fc.record({ delay: fc.nat(3), leaves: fc.boolean() }), { maxLength: 40 });
  await fc.assert(
    fc.asyncProperty(
      runs,
      fc.integer({ min: 1, max: 8 }),
      fc.integer({ min: 1, max: 3 }),
      async (images, maxBatch, mostStarted) => {
        let computing = 0;
        const released: number[] = [];
        const batcher = createBatcher<number, number>({
          maxBatch,
          maxDelay: 0,
          mostStarted,
          async compute(items) {
            expect(items.length).toBeLessThanOrEqual(maxBatch);
            computing += 1;
            expect(computing).toBeLessThanOrEqual(mostStarted);
            await pause(1);
            computing -= 1;
            return items.map((item) => 10 * item);
          },
          release: (item) => void released.push(item),
        });
        const answers = images.map(async ({ delay, leaves }, i) => {
          const leaving = new Cancellation();
          for (let turn = 0; turn < delay; turn++) await pause(0);
          const answer = batcher.add(i, leaving).catch(() => undefined);
          if (leaves) leaving.cancel(new Error('left'));
          return answer;
        });
        for (const [i, answer] of (await Promise.all(answers)).entries()) {
          if (images[i]!.leaves) expect([undefined, 10 * i]).toContain(answer);
          else expect(answer).toBe(10 * i);
        }
        await pause(2);
        expect(released.toSorted((a, b) => a - b)).toEqual(images.map((_, i) => i));
      },
    ),
    { numRuns: 20 },
  );
});
