// The gradients of many parameters in one call to the addon.

import { native } from '../native/native.js';
import { places } from '../tensor/handle.js';
import { Tensor } from '../tensor/tensor.js';

/** Returns the existing gradients, grouped by device and dtype as the foreach kernels need them. */
export function gradientsByKind(parameters: readonly Tensor[], caller: string): Tensor[][] {
  const lists = new Map<string, Tensor[]>();
  for (const found of native.gradients(places(parameters, caller))) {
    if (found < 0) continue;
    const gradient = new Tensor(found);
    const key = `${gradient.device} ${gradient.dtype}`;
    const list = lists.get(key);
    if (list) list.push(gradient);
    else lists.set(key, [gradient]);
  }
  return [...lists.values()];
}
