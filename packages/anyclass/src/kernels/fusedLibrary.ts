// The operators in packages/anyclass/native; setup builds them into a library, and the first use loads it.

import { fileURLToPath } from 'node:url';
import { hasOperator, loadLibrary, registeredOperator } from '@anyclass/torch';
import { type NativeLibrary, operatorLibrary } from '@anyclass/torch/builds';

export const fusedLibrary: NativeLibrary = {
  packageFolder: fileURLToPath(new URL('../..', import.meta.url)),
  sourceFolders: ['augment', 'depthwise', 'loss', 'norm', 'pools', 'shared'].map(
    (subject) => `native/${subject}`,
  ),
  file: 'libanyclass.so',
  usesLibtorch: true,
};

export type FusedOperator = ReturnType<typeof registeredOperator>;

/**
 * Returns one of our operators by name.
 *
 * @example
 * const [loss, counts] = fusedOperator('any_class_loss')(logits, targets, null, null, 1, 1, 0.02, 2, 2, 0, 0, 0)
 */
export function fusedOperator(name: string): FusedOperator {
  load();
  return registeredOperator(`anyclass::${name}`);
}

/**
 * Whether the library has an operator; those for GPUs are left out if setup found no CUDA compiler.
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
