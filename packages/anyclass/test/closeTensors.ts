import type { Tensor } from '@anyclass/torch';
import { expect } from 'vitest';

/** Expects every element to be within `tolerance` times the largest expected magnitude. */
export function expectClose(found: Tensor, expected: Tensor, tolerance: number, name: string): void {
  const wanted = expected.to('float64');
  const largest = wanted.abs().amax().toNumber() || 1;
  const error = found.to('float64').sub(wanted).abs().amax().toNumber();
  expect(error / largest, name).toBeLessThan(tolerance);
}
