// Whether the tiles of large images learn from the boxes of objects, or from the labels of whole images.

import type { Configuration } from '../configuration/schema.js';
import { mixedShare } from '../data/augmentation/mixing.js';
import type { TiledObject, TileLabels } from '../data/augmentation/tileTargets.js';
import type { Dataset } from '../data/dataset/dataset.js';
import type { ObjectBoxes } from '../data/dataset/objectBoxes.js';
import { counted } from '../errors/counted.js';
import { UserError } from '../errors/userError.js';
import { tileStarts } from '../networks/layers/tiles.js';
import type { Network } from '../networks/network.js';
import type { RunData } from './dataForRun.js';
import type { Teacher } from './teacher.js';

export interface ChosenTileLabels {
  /** Undefined if tiles learn from labels of whole images, or if there are no tiles. */
  readonly labels?: TileLabels;
  readonly remarks: readonly string[];
}

/**
 * Chooses the labels of tiles by `tileLabels`: `auto` takes boxes where the dataset has them.
 *
 * @throws UserError if boxes are asked for and cannot be used
 */
export function chooseTileLabels(
  { tileLabels, mixing }: Pick<Configuration, 'tileLabels' | 'mixing'>,
  {
    dataset,
    trainingRows,
  }: Pick<RunData, 'trainingRows'> & {
    readonly dataset: Pick<Dataset, 'name' | 'objects' | 'labels' | 'classes'>;
  },
  { options: { tiles, inputSize } }: Pick<Network, 'options'>,
  teacher?: Teacher,
): ChosenTileLabels {
  const refuse = (reason: string): ChosenTileLabels => {
    if (tileLabels === 'boxes') {
      throw new UserError(`tileLabels is boxes, but ${reason}`, { setting: 'tileLabels=image' });
    }
    return {
      remarks: tiles && dataset.objects ? [`tiles learn from labels of whole images: ${reason}`] : [],
    };
  };
  if (!tiles) return refuse('images are not cut into tiles; set network.tiles');
  if (tileLabels === 'image') return { remarks: [] };
  const { objects } = dataset;
  if (!objects) return refuse(`${dataset.name} has no boxes; COCO, YOLO and Pascal VOC files do`);
  if (mixedShare(mixing) > 0) return refuse('mixed images have no boxes');
  if (teacher) return refuse("a teacher's scores are of whole images");
  const objectsOf = objectIndex(objects);
  const { present, boxed } = countBoxed(dataset, trainingRows, objectsOf);
  if (2 * boxed < present) {
    return refuse(`only ${boxed} of ${counted(present, 'label')} in training images have a box`);
  }
  const missing = present - boxed;
  return {
    labels: { starts: tileStarts(inputSize, tiles), size: inputSize, objectsOf },
    remarks: [
      `tiles learn from ${counted(objects.rows.length, 'box')} of objects`,
      ...(missing > 0
        ? [
            `${counted(missing, 'label')} of training images ${missing === 1 ? 'has' : 'have'} no box; their tiles are unknown`,
          ]
        : []),
    ],
  };
}

/** Labels of training images that are present, and those of them with a box. */
function countBoxed(
  { labels, classes }: Pick<Dataset, 'labels' | 'classes'>,
  rows: Int32Array,
  objectsOf: TileLabels['objectsOf'],
): { readonly present: number; readonly boxed: number } {
  let [present, boxed] = [0, 0];
  const targets = new Float32Array(classes.length);
  for (const row of rows) {
    labels.copyRow(row, targets, 0);
    const own = new Set(objectsOf(row).map(({ classIndex }) => classIndex));
    targets.forEach((target, c) => {
      if (!(target > 0)) return;
      present++;
      if (own.has(c)) boxed++;
    });
  }
  return { present, boxed };
}

function objectIndex({ rows, classes, places }: ObjectBoxes): TileLabels['objectsOf'] {
  const byRow = new Map<number, TiledObject[]>();
  rows.forEach((row, i) => {
    const [left = 0, top = 0, width = 0, height = 0] = places.subarray(4 * i, 4 * i + 4);
    const known = byRow.get(row) ?? [];
    known.push({ classIndex: classes[i]!, left, top, width, height });
    byRow.set(row, known);
  });
  return (row) => byRow.get(row) ?? [];
}
