// Pictures for the page: thumbnails and heat maps, made when asked for and kept in memory up to a limit.

import { statSync } from 'node:fs';
import type { StoredImage } from '../data/dataset/imageSource.js';
import type { ImageReading } from '../data/dataset/reading/pixelFormat.js';
import { openImage } from '../data/images/decoding/decode.js';
import { limiter } from '../data/images/limiter.js';
import { runPaths } from '../runs/runFolder.js';
import { Problem } from '../web/problem.js';
import { bounded } from './bounded.js';
import type { FoundRun } from './findRuns.js';
import type { ModelChild } from './modelChild.js';
import type { ExplainedPicture } from './modelMessages.js';
import type { OpenData } from './runData.js';

export interface Pictures {
  /** An image as WebP, fitted into a square, in its own proportions. */
  thumbnail(run: FoundRun, name: string, side: number): Promise<Buffer>;
  /** A heat map as PNG, in the proportions of its image. */
  heat(run: FoundRun, name: string, target: string): Promise<Buffer>;
}

/** Bytes of pictures in memory. */
const mostBytes = 96 << 20;
/** Thumbnails in the making: a fast scroll asks for hundreds. */
const atOnce = 6;
const heatSide = 320;

export function pictures(data: OpenData, child: ModelChild): Pictures {
  const kept = bounded<Buffer>(mostBytes, (bytes) => bytes.length + 200);
  const limited = limiter(atOnce);
  const making = new Map<string, Promise<Buffer>>();
  const once = (key: string, make: () => Promise<Buffer>): Promise<Buffer> => {
    const known = kept.get(key);
    if (known) return Promise.resolve(known);
    const begun = making.get(key);
    if (begun) return begun;
    const made = make()
      .then((bytes) => {
        kept.set(key, bytes);
        return bytes;
      })
      .finally(() => making.delete(key));
    making.set(key, made);
    return made;
  };
  return {
    async thumbnail(run, name, side) {
      const opened = await data.of(run);
      return once(`${side}\n${name}\n${opened.key}`, () =>
        limited(async () => pictureOf(await opened.read(name), opened.dataset.preparation, side)),
      );
    },
    heat(run, name, target) {
      const stamp = statSync(runPaths(run.path).model, { throwIfNoEntry: false })?.mtimeMs;
      return once(`heat ${target}\n${name}\n${run.id}\n${stamp}`, async () => {
        const image = await (await data.of(run)).read(name);
        const task = { kind: 'explain', model: run.path, image, targets: [target], side: heatSide } as const;
        return Buffer.from(only((await child.ask(task)).maps).picture);
      });
    },
  };
}

function only([first]: readonly ExplainedPicture[]): ExplainedPicture {
  if (!first) throw new Error('a target gave no map');
  return first;
}

/**
 * Returns an image as WebP, in its own proportions: a heat map of it has the same, so that both fit each other in any box.
 *
 * @throws Problem if it cannot be read
 */
export async function pictureOf(image: StoredImage, reading: ImageReading, side: number): Promise<Buffer> {
  try {
    const opened = await openImage(image, reading);
    return await opened
      .autoOrient()
      .resize(side, side, { fit: 'inside', kernel: 'linear' })
      .webp({ quality: 75, effort: 2 })
      .toBuffer();
  } catch {
    throw new Problem('unreadable', 'this image cannot be read');
  }
}
