// The operators in packages/anyclass/native, in a library that setup builds and the first use loads.

import { fileURLToPath } from 'node:url';
import { hasOperator, loadLibrary, registeredOperator } from '@anyclass/torch';
import { type NativeLibrary, operatorLibrary } from '@anyclass/torch/builds';

export const fusedLibrary: NativeLibrary = {
  packageFolder: fileURLToPath(new URL('../..', import.meta.url)),
  sourceFolders: ['augment', 'depthwise', 'loss', 'norm', 'shared'].map((subject) => `native/${subject}`),
  file: 'libanyclass.so',
  usesLibtorch: true,
};

export type FusedOperator = ReturnType<typeof registeredOperator>;

/**
 * An operator of ours by its name.
 *
 * @example
 * const [loss, counts] = fusedOperator('any_class_loss')(logits, targets, null, null, 1, 1, 0.02, 2, 2, 0, 0, 0)
 */
export function fusedOperator(name: string): FusedOperator {
  load();
  return registeredOperator(`anyclass::${name}`);
}

/**
 * Whether the library has an operator: those for GPUs are left out where setup found no CUDA compiler.
 *
 * @example
 * hasFusedOperator('any_class_loss') // true
 */
export function hasFusedOperator(name: string): boolean {
  load();
  return hasOperator(`anyclass::${name}`);
}

let isLoaded = false;

function load(): void {
  if (isLoaded) return;
  loadLibrary(operatorLibrary(fusedLibrary));
  isLoaded = true;
}
