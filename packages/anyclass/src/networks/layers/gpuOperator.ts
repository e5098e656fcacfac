import type { Tensor } from '@anyclass/torch';
import { type FusedOperator, fusedOperator, hasFusedOperator } from '../../kernels/fusedLibrary.js';

/**
 * Returns a function that looks up, on first use, an operator that only libraries built with a CUDA compiler have; it
 * returns null without it.
 *
 * @example
 * const operator = gpuOperator('activated_batch_norm');
 * operator() // null if setup found no nvcc
 */
export function gpuOperator(name: string): () => FusedOperator | null {
  let found: FusedOperator | null | undefined;
  return () => {
    if (found === undefined) found = hasFusedOperator(name) ? fusedOperator(name) : null;
    return found;
  };
}

/**
 * Whether a tensor is on a GPU and of a dtype that our kernels support: float32, float16 or bfloat16.
 *
 * @example
 * isForKernels(zeros([2])) // false: on the CPU
 */
export function isForKernels(tensor: Tensor): boolean {
  return tensor.device.startsWith('cuda') && ['float32', 'float16', 'bfloat16'].includes(tensor.dtype);
}
