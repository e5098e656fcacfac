// Shared by tests of the GPU kernels.

import { captureStep, grad, hasCuda, setTf32, type Tensor, tidy } from '@anyclass/torch';
import { beforeAll, describe, expect } from 'vitest';

export const channelsLast = { memoryFormat: 'channelsLast' } as const;

/** Declares tests that need a GPU. Without one, the log shows them as skipped and says why. */
export function describeOnCuda(subject: string, declare: () => void): void {
  const reason = hasCuda() ? '' : ' (skipped: no CUDA device)';
  describe.skipIf(!hasCuda())(`${subject} on cuda${reason}`, () => {
    // Training enables TF32 for its whole process, which test files share.
    beforeAll(() => setTf32(false));
    declare();
  });
}

/**
 * A layer's output for an input, and the gradients of the input and the given parameters for
 * an output gradient `dy`.
 */
export function outputAndGradients(
  forward: (input: Tensor) => Tensor,
  { x, dy, parameters }: { readonly x: Tensor; readonly dy: Tensor; readonly parameters: readonly Tensor[] },
): Tensor[] {
  const input = leafOf(x);
  const output = forward(input);
  const gradients = grad([output], [input, ...parameters], { gradients: [dy] });
  return [output.detach(), ...gradients.map((gradient) => gradient!)];
}

/** The same values as a new leaf tensor that requires gradients. */
export function leafOf(tensor: Tensor): Tensor {
  const leaf = tensor.detach();
  leaf.requiresGrad = true;
  return leaf;
}

/** Expects the same bits in every call, captured in a CUDA graph or not. */
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
