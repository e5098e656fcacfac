import type { nn } from '@anyclass/torch';

/**
 * Whether someone has replaced a layer's `forward`, as `watchLayers` does: then the layer is called, and nothing computes its result in another way.
 *
 * @example
 * isWatched(new nn.Linear(2, 2)) // false
 */
export function isWatched(layer: nn.Module): boolean {
  return Object.hasOwn(layer, 'forward');
}
