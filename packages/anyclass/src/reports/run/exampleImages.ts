import type { Dataset } from '../../data/dataset/dataset.js';
import { openImage } from '../../data/images/decoding/decode.js';
import type { Example } from '../../events/example.js';
import type { ImageGroup } from './imageCards.js';
import type { DecisionInUse, JudgedMaterial } from './material.js';

const side = 256;
const mostOfKind = 4;

/** Reads a few images of each kind of a report again, larger than its thumbnails; those that cannot be read are left out. */
export async function exampleImages(
  groups: readonly ImageGroup[],
  { scored: { classNames, targets } }: JudgedMaterial,
  { outcomes }: DecisionInUse,
  dataset: Dataset,
): Promise<Example[]> {
  const chosen = groups.flatMap(({ kind, cards }) =>
    cards.slice(0, mostOfKind).flatMap(({ row, place, file = '' }) => {
      const { outcome } = kind;
      if (place === undefined || outcome === 'review' || outcome === 'quiet') return [];
      const named = (has: (at: number) => boolean) =>
        classNames.filter((_, j) => has(row * classNames.length + j));
      const present = named((at) => targets[at]! >= 0.5);
      const predicted = named((at) => outcomes.labels[at] === 1);
      return [{ outcome, name: file, present, predicted, place }];
    }),
  );
  const read = chosen.map(async ({ place, ...example }): Promise<Example[]> => {
    try {
      const opened = await openImage(await dataset.images.read(place), dataset.preparation);
      const { data, info } = await opened
        .autoOrient()
        .resize(side, side, { fit: 'inside', withoutEnlargement: true })
        .flatten({ background: '#000' })
        .jpeg({ quality: 92, chromaSubsampling: '4:4:4' })
        .toBuffer({ resolveWithObject: true });
      return [{ ...example, width: info.width, height: info.height, jpeg: data.toString('base64') }];
    } catch {
      return [];
    }
  });
  return (await Promise.all(read)).flat();
}
