import { setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createAssembler, packInstances } from './assembler.js';

/** Reads an instance of two bytes, both its number; odd ones fail. */
const reading = (number: number) => async (bytes: Uint8Array, offset: number) => {
  await setTimeout(5 - number);
  if (number % 2 === 1) throw new Error(`${number} is odd`);
  bytes.fill(number, offset, offset + 2);
};

test('instances keep their order, whatever order they are read in, and gaps are closed', async () => {
  const draft = createAssembler({ stride: 2, capacity: 5, threads: 3 }).begin();
  const failed: number[] = [];
  for (const number of [0, 1, 2, 3, 4]) void draft.add(reading(number), () => failed.push(number));
  const { size, bytes, isFilled } = await draft.finish();
  expect([size, [...bytes], [...isFilled]]).toEqual([3, [0, 0, 2, 2, 4, 4], [1, 0, 1, 0, 1]]);
  expect(failed.sort()).toEqual([1, 3]);
});

test('a failure that is not accepted fails the batch, once nothing writes into it anymore', async () => {
  const draft = createAssembler({ stride: 2, capacity: 2, threads: 2 }).begin();
  let isRead = false;
  await expect(draft.add(reading(1))).rejects.toThrow('1 is odd');
  void draft.add(async () => {
    await setTimeout(20);
    isRead = true;
  });
  await expect(draft.finish()).rejects.toThrow('1 is odd');
  expect(isRead).toBe(true);
});

test('at most so many instances are read at once', async () => {
  const draft = createAssembler({ stride: 1, capacity: 8, threads: 3 }).begin();
  let [running, most] = [0, 0];
  for (let i = 0; i < 8; i++) {
    void draft.add(async () => {
      most = Math.max(most, ++running);
      await setTimeout(2);
      running--;
    });
  }
  await draft.finish();
  expect(most).toBe(3);
});

test('memory is used again after it is returned, and given memory is never exceeded', () => {
  const own = createAssembler({ stride: 2, capacity: 2, threads: 1 });
  const first = own.begin();
  first[Symbol.dispose]();
  first[Symbol.dispose]();
  const [second, third] = [own.begin(), own.begin()];
  expect(second.bytes).toBe(first.bytes);
  expect(third.bytes).not.toBe(first.bytes);

  const within = createAssembler({ stride: 2, capacity: 1, threads: 1, within: new Uint8Array(5) });
  const [zero, one] = [within.begin(), within.begin()];
  expect([zero.index, zero.bytes.byteOffset, one.index, one.bytes.byteOffset]).toEqual([0, 0, 1, 2]);
  expect(() => within.begin()).toThrow('no memory is left');
  zero[Symbol.dispose]();
  expect(within.begin().index).toBe(0);
});

test('instances are packed from other memory in the order given', () => {
  const packed = packInstances(Uint8Array.of(1, 2, 3, 4, 5, 6), [2, 0], 2, new Uint8Array(6));
  expect([...packed]).toEqual([5, 6, 1, 2]);
});
