import { expect } from 'vitest';

/** Expects each number to be close to its expected value, within a relative plus an absolute tolerance. */
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
