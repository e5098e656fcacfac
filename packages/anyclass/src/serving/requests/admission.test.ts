import { expect, test } from 'vitest';
import { Problem } from '../../web/problem.js';
import { createAdmission } from './admission.js';

function problemOf(work: () => unknown): Problem {
  try {
    work();
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
  throw new Error('expected a problem');
}

test('images over the limit are refused with a time to retry, until others have left', () => {
  const admission = createAdmission({ images: 4, bytes: 1000 });
  const first = admission.enter(100);
  const second = admission.enter(100);
  first.setImages(3);
  second.setImages(1);
  const refused = problemOf(() => admission.enter(1));
  expect(refused).toMatchObject({ kind: 'queue-full' });
  expect([admission.isFull, admission.room]).toEqual([true, 0]);
  expect(admission.fullText().message).toBe(refused.message);
  expect(refused.retryAfter).toBeGreaterThanOrEqual(1);
  expect(refused.retryAfter).toBeLessThanOrEqual(60);
  expect(problemOf(() => second.setImages(2)).kind).toBe('queue-full');
  expect(admission.images).toBe(4);
  first.leave();
  first.leave();
  expect([admission.isFull, admission.room]).toEqual([false, 3]);
  second.setImages(4);
  second.leave();
  expect([admission.images, admission.bytes]).toEqual([0, 0]);
});

test('a request takes room only for what has arrived', () => {
  const admission = createAdmission({ images: 2, bytes: 1000 });
  const slow = Array.from({ length: 100 }, () => admission.enter(900));
  expect([admission.images, admission.bytes, admission.isFull]).toEqual([0, 0, false]);
  slow[0]!.addBytes(3);
  expect(admission.bytes).toBe(3);
  slow[0]!.leave();
  expect(admission.bytes).toBe(0);
});

test('bytes over the limit are refused while there are other requests; a single request always has room', () => {
  const admission = createAdmission({ images: 100, bytes: 1000 });
  const large = admission.enter(5000);
  large.addBytes(3000);
  large.addBytes(2000);
  expect(problemOf(() => admission.enter(1)).message).toContain('in memory');
  large.leave();
  const [one, other] = [admission.enter(600), admission.enter(600)];
  one.addBytes(600);
  other.addBytes(400);
  expect(problemOf(() => other.addBytes(1)).retryAfter).toBe(1);
  expect(problemOf(() => admission.enter(1)).retryAfter).toBe(1);
});
