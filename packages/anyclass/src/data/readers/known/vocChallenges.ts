// Pascal VOC 2007 and 2012. Everingham et al., "The Pascal Visual Object Classes Challenge: A Retrospective", IJCV 2015.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DataError } from '../../../errors/dataError.js';
import { shownPath } from '../../../files/shownPath.js';
import type { DatasetTable } from '../../dataset/dataset.js';
import { readVoc, type VocOptions } from '../folders/voc.js';

const vocClasses =
  'aeroplane,bicycle,bird,boat,bottle,bus,car,cat,chair,cow,diningtable,dog,horse,motorbike,person,pottedplant,sheep,sofa,train,tvmonitor'.split(
    ',',
  );

/**
 * Reads a challenge's images from its folder, the development kit, or the folder above it. The lists
 * `train.txt`, `val.txt`, and `test.txt` in `ImageSets/Main` are the splits. The labels of a test split
 * without annotations (2012) are unknown.
 *
 * @example
 * (await readVocChallenge('voc2007', 'VOCdevkit', {})).classes.length // 20
 */
export async function readVocChallenge(
  name: 'voc2007' | 'voc2012',
  root: string,
  options: VocOptions,
): Promise<DatasetTable> {
  const folder = name.toUpperCase();
  const candidates = [root, join(root, folder), join(root, 'VOCdevkit', folder)];
  const found = candidates.find((path) => existsSync(join(path, 'ImageSets', 'Main')));
  if (found === undefined) {
    throw new DataError(
      `${shownPath(root)}: no ImageSets/Main in this folder, in ${folder}, or in VOCdevkit/${folder}; expected the unpacked development kit`,
    );
  }
  const table = await readVoc(found, { ...options, classes: vocClasses });
  return { ...table, name };
}
