import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { scoredBatches } from './scoredBatches.js';
import type { Scorer } from './scorer.js';

const format = { features: 1 };

/** A device that finishes a batch when the test says so, or at once. */
function device({ isQuick = false, failsAt = -1 } = {}) {
  const started: number[] = [];
  const finished = new Set<number>();
  const disposed: string[] = [];
  const scorer: Scorer = {
    format,
    score: () => {
      throw new Error('it is started instead');
    },
    start({ inputs }) {
      const number = inputs[0]!;
      if (number === failsAt) throw new Error(`batch ${number} does not fit`);
      started.push(number);
      return {
        get isDone() {
          return isQuick || finished.has(number);
        },
        read: () => ({ logits: Float32Array.of(10 * number) }),
        [Symbol.dispose]: () => void disposed.push(`scores ${number}`),
      };
    },
  };
  const batch = (number: number, size = 1) => ({
    size,
    inputs: Uint8Array.of(number),
    [Symbol.dispose]: () => void disposed.push(`batch ${number}`),
  });
  return { scorer, started, finished, disposed, batch };
}

async function* numbered<Batch>(count: number, make: (number: number) => Batch): AsyncGenerator<Batch> {
  for (let i = 0; i < count; i++) yield make(i);
}

test('a device gets the next batch before it has finished one, two at most, and answers come in order', async () => {
  const { scorer, started, finished, batch, disposed } = device();
  const scored = scoredBatches(numbered(4, batch), scorer);
  const first = scored.next();
  await expect.poll(() => started).toEqual([0, 1]);
  await pause(10);
  expect(started).toEqual([0, 1]);
  finished.add(1).add(0);
  expect((await first).value).toMatchObject({ logits: Float32Array.of(0) });
  const second = (await scored.next()).value;
  expect(second).toMatchObject({ logits: Float32Array.of(10) });
  expect(disposed).toEqual(['scores 0', 'batch 0']);
  finished.add(2).add(3);
  const rest: number[] = [];
  for await (const { logits } of scored) rest.push(logits[0]!);
  expect(rest).toEqual([20, 30]);
  expect(disposed).toHaveLength(8);
});

test('scores do not wait for a batch that is long in coming', async () => {
  const { scorer, batch, finished } = device();
  let release: (() => void) | undefined;
  async function* slow() {
    yield batch(0);
    await new Promise<void>((resolve) => {
      release = resolve;
    });
    yield batch(1);
  }
  const scored = scoredBatches(slow(), scorer);
  finished.add(0).add(1);
  expect((await scored.next()).value).toMatchObject({ logits: Float32Array.of(0) });
  expect(release).toBeDefined();
  release?.();
  expect((await scored.next()).value).toMatchObject({ logits: Float32Array.of(10) });
  expect((await scored.next()).done).toBe(true);
});

test('an empty batch needs no device, and whoever leaves early leaves nothing behind', async () => {
  const { scorer, batch, started, disposed } = device({ isQuick: true });
  for await (const { batch: own, logits } of scoredBatches(
    numbered(5, (number) => batch(number, number === 0 ? 0 : 1)),
    scorer,
  )) {
    if (own.inputs[0] === 0) expect(logits).toHaveLength(0);
    else break;
  }
  expect(started).not.toContain(0);
  const begun = new Set(started);
  for (const number of begun)
    expect(disposed).toEqual(expect.arrayContaining([`scores ${number}`, `batch ${number}`]));
  expect(new Set(disposed).size).toBe(disposed.length);
});

test('errors of the device and of the source reach the caller, and nothing is left behind', async () => {
  const failing = device({ isQuick: true, failsAt: 2 });
  const take = async (scored: AsyncIterable<unknown>) => {
    for await (const _ of scored);
  };
  await expect(take(scoredBatches(numbered(4, failing.batch), failing.scorer))).rejects.toThrow(
    'batch 2 does not fit',
  );
  expect(failing.disposed).toContain('batch 2');
  const { scorer, batch, disposed } = device({ isQuick: true });
  async function* broken() {
    yield batch(0);
    throw new Error('the disk is gone');
  }
  await expect(take(scoredBatches(broken(), scorer))).rejects.toThrow('the disk is gone');
  expect(disposed.toSorted()).toEqual(['batch 0', 'scores 0']);
});
