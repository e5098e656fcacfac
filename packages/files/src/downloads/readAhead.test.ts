import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { readAhead } from './readAhead.js';

const part = (value: number, bytes = 4) => new Uint8Array(bytes).fill(value);

test('what arrived before a stream failed is returned before the failure, however slow the reader is', async () => {
  const stream = new ReadableStream<Uint8Array>({
    async start(controller) {
      for (const value of [1, 2, 3]) controller.enqueue(part(value));
      await sleep(5);
      controller.error(new Error('the connection broke'));
    },
  });
  const read: number[] = [];
  const reading = (async () => {
    for await (const [value = 0] of readAhead(stream)) {
      await sleep(10);
      read.push(value);
    }
  })();
  await expect(reading).rejects.toThrow('the connection broke');
  expect(read).toEqual([1, 2, 3]);
});

test('a slow reader stops the sender before memory fills', async () => {
  const size = 2 ** 20;
  let sent = 0;
  const stream = new ReadableStream<Uint8Array>({
    async pull(controller) {
      await sleep(0); // as a network does
      controller.enqueue(part(sent++, size));
      if (sent === 40) controller.close();
    },
  });
  const ahead: number[] = [];
  let count = 0;
  for await (const [value = -1] of readAhead(stream)) {
    expect(value).toBe(count++);
    await sleep(20);
    ahead.push(sent - count);
  }
  expect(count).toBe(40);
  expect(Math.max(...ahead)).toBeGreaterThan(2);
  expect(Math.max(...ahead)).toBeLessThan(12);
});

test('a reader that stops early ends the stream', async () => {
  let reason: unknown = 'still open';
  const stream = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(part(7)),
    cancel: (why) => {
      reason = why;
    },
  });
  let parts = 0;
  for await (const [value] of readAhead(stream, () => parts++)) {
    expect(value).toBe(7);
    break;
  }
  expect(reason).toBeUndefined();
  expect(parts).toBeGreaterThan(0);
});
