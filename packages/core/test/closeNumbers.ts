import { expect } from 'vitest';

/** Expects each number within a part of its expected value, plus an absolute error. */
export function expectAllClose(
  found: ArrayLike<number>,
  expected: ArrayLike<number>,
  relative: number,
  absolute: number,
): void {
  expect(found.length).toBe(expected.length);
  for (let i = 0; i < expected.length; i++) {
    const allowed = relative * Math.abs(expected[i]!) + absolute;
    if (Math.abs(found[i]! - expected[i]!) <= allowed) continue;
    expect.fail(`at ${i}: ${found[i]}, expected ${expected[i]} within ${allowed}`);
  }
}
