import { counted } from '../../errors/counted.js';
import { DataError } from '../../errors/dataError.js';
import { type OpenPixelsOptions, openPixels } from '../cache/openCache.js';
import type { Dataset } from '../dataset/dataset.js';
import { floatsOf, type InputFormat, type InputSource, isFeatureFormat } from '../dataset/inputs.js';

/**
 * Opens a dataset's instances in the format that a network takes: its features, or its images,
 * from the cache if prepared.
 *
 * @throws DataError if the network takes the other kind
 *
 * @example
 * const { inputs, state } = await openInputs(dataset, { features: 294 }, undefined);
 */
export async function openInputs(
  dataset: Dataset,
  format: InputFormat,
  cache: string | undefined,
  options: OpenPixelsOptions = {},
): Promise<{ readonly inputs: InputSource; readonly state: string }> {
  const { features } = dataset;
  if (!isFeatureFormat(format)) {
    if (features) throw new DataError(`${dataset.name} has features; the network takes images`);
    const { pixels, state } = await openPixels(dataset, format, cache, options);
    return { inputs: pixels, state: state.text };
  }
  if (!features) throw new DataError(`${dataset.name} has images; the network takes features`);
  const width = features.names.length;
  if (width !== format.features) {
    throw new DataError(
      `${dataset.name} has ${counted(width, 'feature')}; the network takes ${format.features}`,
    );
  }
  const inputs: InputSource = {
    format,
    readInto: (row, out, offset) => features.read(Int32Array.of(row), floatsOf(out, offset, width)),
    async readAll(rows, out) {
      await features.read(rows, floatsOf(out, 0, rows.length * width));
      return true;
    },
    close: async () => {}, // the dataset closes them
  };
  return { inputs, state: `${counted(width, 'feature')} per row, standardized over the training rows` };
}
