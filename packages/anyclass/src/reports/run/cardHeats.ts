import { isEngineLoaded } from '@anyclass/torch';
import type { Dataset } from '../../data/dataset/dataset.js';
import { imageSize } from '../../data/images/decoding/decode.js';
import { reasonOf } from '../../errors/reasonOf.js';
import { modelHeatMaps } from '../../explain/modelHeatMaps.js';
import { heatThumbnail } from '../../explain/overlay.js';

/** A row of the dataset, and the class to look for in its image. */
export interface WantedHeat {
  readonly row: number;
  readonly classIndex: number;
}

export interface CardHeats {
  /** By row of the dataset: a data URL in the shape of the thumbnail. */
  readonly ofRow: ReadonlyMap<number, string>;
  /** How they were computed, or why there are none. */
  readonly remark: string;
}

/**
 * Computes the heat maps of a report's images with the run's own model. A report is made without them where libtorch cannot be
 * loaded; the remark says so.
 *
 * @example
 * const { ofRow } = await cardHeats('runs/sewer', dataset, [{ row: 12, classIndex: 0 }]);
 */
export async function cardHeats(
  folder: string,
  dataset: Dataset,
  wanted: readonly WantedHeat[],
): Promise<CardHeats> {
  const ofRow = new Map<number, string>();
  const read = (row: number) => dataset.images.read(row);
  try {
    const maps = await modelHeatMaps(
      folder,
      wanted.map(({ row, classIndex }) => ({
        name: dataset.names.at(row),
        read: () => read(row),
        target: classIndex,
      })),
    );
    for (const [i, map] of maps.entries()) {
      const { row } = wanted[i]!;
      if (map)
        ofRow.set(row, await heatThumbnail(map, await imageSize(await read(row), dataset.preparation)));
    }
    const method = maps.find((map) => map !== undefined)?.method;
    return { ofRow, remark: method === undefined ? '' : methodWords[method] };
  } catch (error) {
    if (isEngineLoaded()) throw error;
    return { ofRow, remark: `No heat maps: ${reasonOf(error)}.` };
  }
}

const where = 'Heat maps show where the model sees the class';
const methodWords = {
  cam: `${where}: the logit of each place alone (class activation).`,
  'grad-cam': `${where} (Grad-CAM).`,
  'layer-cam': `${where} (LayerCAM).`,
  tiles: `${where}: the probability of each tile by itself.`,
  tokens: `${where}: relevance through its attention layers.`,
  occlusion: `${where} (occlusion).`,
};
