// The input size that fits the images, for configurations that leave it to them.

import { defined, preparedOptions } from '../configuration/openOptions.js';
import type { Configuration } from '../configuration/schema.js';
import { closeDataset } from '../data/dataset/dataset.js';
import { openPrepared } from '../data/openPrepared.js';
import {
  type FittingInput,
  fittingInput,
  type InputEffort,
  inputEfforts,
  sidesOf,
} from '../inspect/inputAdvice.js';
import { typicalSide } from '../inspect/suggestConfiguration.js';
import { networkSizes, networkStride } from '../networks/catalog.js';

/**
 * Replaces the input size `fit` or `small` by one that leaves enough positions for the objects of the data's images.
 *
 * @param onRemark is told the size and why
 *
 * @example
 * (await fitInput(configuration, console.log)).network.inputSize // 160, for photographs of 64 px and TResNet
 */
export function fitInput(
  configuration: Configuration,
  onRemark?: (text: string) => void,
): Promise<Configuration> {
  return inputFitter()(configuration, onRemark);
}

/** A function like `fitInput` for many configurations: it looks at the images of each dataset once. */
export function inputFitter(): typeof fitInput {
  const known = new Map<string, Promise<FittingInput>>();
  return async (configuration, onRemark = () => {}) => {
    const { network } = configuration;
    if (typeof network.inputSize === 'number') return configuration;
    const options = defined(network);
    const stride = networkStride(network.name, options);
    // Whole positions in the last map; for networks with windows, whole windows.
    const unit = stride && Math.max(stride, networkSizes(network.name, options)?.multipleOf ?? 1);
    const effort = network.inputSize === 'fit' ? inputEfforts.long : inputEfforts.cpu;
    const key = JSON.stringify([configuration.data, network.tiles, stride, unit, effort]);
    const fitting = known.get(key) ?? fittingSize(configuration, effort, stride, unit);
    known.set(key, fitting);
    const { size, reason } = await fitting;
    onRemark(`input ${size} px: ${reason}`);
    return { ...configuration, network: { ...network, inputSize: size } };
  };
}

async function fittingSize(
  { data, network: { tiles } }: Configuration,
  effort: InputEffort,
  stride: number | undefined,
  unit: number | undefined,
): Promise<FittingInput> {
  // Objects are as large in a tile of any size, so only the detail of a tile counts.
  if (tiles && stride !== undefined) {
    const { size } = fittingInput(Math.floor(tiles.imageSize / 2), stride, undefined, effort, unit);
    const positions = Math.floor(size / stride);
    return { size, reason: `each tile leaves ${positions} by ${positions} positions` };
  }
  const dataset = await openPrepared(data.dataset, preparedOptions(data));
  try {
    // Training says better what is wrong if the network takes features and the data has images, or the other way round.
    if (dataset.features || stride === undefined) return { size: 224, reason: 'there is no image to fit' };
    const side = await typicalSide(dataset.images, dataset.splits.train, dataset.preparation);
    return fittingInput(side, stride, sidesOf(dataset), effort, unit);
  } finally {
    await closeDataset(dataset);
  }
}
