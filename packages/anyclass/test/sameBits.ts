import { captureStep, type Tensor, tidy } from '@anyclass/torch';
import { expect } from 'vitest';

/** Fails unless a computation on a GPU gives the same bits in every call, captured as a graph or not. */
export function expectSameBits(compute: () => Tensor[]): void {
  const first = tidy(() => compute().map((result) => result.clone()));
  const captured = captureStep(compute);
  for (let call = 0; call < 6; call++) {
    tidy(() => {
      captured().forEach((result, i) => {
        expect(result.equal(first[i]!)).toBe(true);
      });
    });
  }
}
