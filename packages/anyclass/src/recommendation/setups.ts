// What is tried before losses: the input size and the augmentation, which matter more than any loss.

import { knownInputSize } from '../configuration/inputSize.js';
import { defined } from '../configuration/openOptions.js';
import { type Settings, withSettings } from '../configuration/overrides.js';
import type { Configuration } from '../configuration/schema.js';
import { validateConfiguration } from '../configuration/validate.js';
import { networkSizes, networkStride } from '../networks/catalog.js';

/** A way to train, besides the loss. */
export interface Setup {
  /** For example, `160 px with crops`. */
  readonly label: string;
  /** What differs from the base; empty for the base itself. */
  readonly settings: Settings;
  /** The time of a run relative to the base's. */
  readonly cost: number;
  readonly configuration: Configuration;
}

const inputField = 'network.inputSize';

/** A map of fewer positions a side is not worth trying. */
const fewestPositions = 3;

/** Networks whose sizes are far apart are not tried at a larger one. */
const mostLarger = 1.6;

/**
 * The base, a larger input, a smaller one, and crops, alone and with the larger input. Fields that the user has set stay as they are. Only the base for
 * feature vectors, and for images in tiles.
 *
 * @param fixed names of fields that the user has set
 *
 * @example
 * setupsOf(configuration, []).map(({ label }) => label) // ['128 px', '160 px', '96 px', '128 px with crops', '160 px with crops']
 */
export function setupsOf(base: Configuration, fixed: readonly string[]): Setup[] {
  const { name, tiles, inputSize, ...options } = base.network;
  const stride = networkStride(name, defined(options));
  const sizes = networkSizes(name, defined(options));
  if (stride === undefined || sizes === undefined || tiles || typeof inputSize === 'string') {
    return [{ label: 'as configured', settings: {}, cost: 1, configuration: base }];
  }
  const own = knownInputSize(base.network);
  const isFixed = (field: string) => fixed.some((each) => each === field || each.startsWith(`${field}.`));
  const hasOwnSizes = base.sizes !== 'progressive' && base.sizes.length > 0;
  const canResize = !isFixed(inputField) && !hasOwnSizes;
  const canCrop =
    !isFixed('augmentation') && (base.augmentation === 'auto' || base.augmentation === 'photograph');
  // Whole positions in the last map; for networks with windows, whole windows.
  const unit = Math.max(stride, sizes.multipleOf);
  const larger = unit * Math.ceil((1.25 * own) / unit);
  const smaller = unit * Math.floor((0.8 * own) / unit);
  const canGrow = canResize && larger <= mostLarger * own;
  const canShrink = canResize && smaller >= Math.max(sizes.least, fewestPositions * stride);
  const setup = (size: number, crops: boolean): Setup => {
    const settings = { ...(size !== own && { [inputField]: size }), ...(crops && { augmentation: 'crops' }) };
    const isCropped = crops || base.augmentation === 'crops';
    return {
      label: `${size} px${isCropped ? ' with crops' : ''}`,
      settings,
      cost: (size / own) ** 2,
      configuration: validateConfiguration(withSettings(base, settings), 'a setup'),
    };
  };
  return [
    setup(own, false),
    ...(canGrow ? [setup(larger, false)] : []),
    ...(canShrink ? [setup(smaller, false)] : []),
    ...(canCrop ? [setup(own, true)] : []),
    ...(canCrop && canGrow ? [setup(larger, true)] : []),
  ];
}
