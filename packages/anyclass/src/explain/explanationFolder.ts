// A folder of explanations: overlays as PNG, maps as NumPy arrays, their values in one JSON file, and a page that shows them.

import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type Decision, presenceProbability } from '@anyclass/core';
import { writeFileAtomically } from '@anyclass/files';
import sharp from 'sharp';
import type { ImageReading } from '../data/dataset/reading/pixelFormat.js';
import { npyHeader } from '../data/features/npy.js';
import { UserError } from '../errors/userError.js';
import type { Explanation } from './explainer.js';
import { type ExplainedCard, explanationPage } from './explanationPage.js';
import type { ExplanationRecord } from './explanationRecord.js';
import { peakOf, peakPlace, unitOf } from './heatMap.js';
import { heatPicture, overlayPicture, shownImage } from './overlay.js';

export interface ExplanationFolder {
  add(explanation: Explanation): Promise<ExplanationRecord>;
  /** Writes the list and the page; returns the page's path. */
  finish(): string;
}

export interface ExplanationFolderOptions {
  readonly model: string;
  readonly classes: readonly string[];
  readonly decision: Decision;
  readonly reading: ImageReading;
}

const list = 'explanations.json';
const overlaySide = 448;
const cardSide = 224;
/** Images on the page; the others are in the folder. */
const mostCards = 60;

/**
 * Throws if a folder holds anything else than earlier explanations.
 *
 * @example
 * checkExplanationFolder('heat') // passes if there is no such folder
 */
export function checkExplanationFolder(folder: string): void {
  if (!existsSync(folder)) return;
  const names = readdirSync(folder);
  if (names.length > 0 && !names.includes(list))
    throw new UserError(`${folder} holds other files; choose a new folder`);
}

/**
 * Starts a folder, to which explanations are added one by one.
 *
 * @example
 * const folder = explanationFolder('heat', { model: 'runs/sewer', classes, decision, reading });
 * for await (const explanation of explainer.explain(inputs)) await folder.add(explanation);
 * folder.finish() // 'heat/index.html'
 */
export function explanationFolder(path: string, options: ExplanationFolderOptions): ExplanationFolder {
  checkExplanationFolder(path);
  mkdirSync(join(path, 'maps'), { recursive: true });
  const { classes, decision, model } = options;
  const gate = decision.presence === null ? 1 : presenceProbability(decision.presence);
  const records: ExplanationRecord[] = [];
  const cards: ExplainedCard[] = [];
  return {
    async add({ input, prediction, targets }) {
      const stem = `${String(records.length + 1).padStart(4, '0')}-${fileName(basename(input.name))}`;
      const shown = await shownImage(await input.read(), options.reading, overlaySide);
      const maps: ExplanationRecord['maps'][number][] = [];
      for (const { className, probability, map } of targets) {
        const target = className ?? 'presence';
        const file = `maps/${stem}.${className === undefined ? 'presence' : `${classes.indexOf(className)}-${fileName(className)}`}`;
        written(join(path, `${file}.png`), await overlayPicture(shown, map));
        const bytes = new Uint8Array(map.values.buffer, map.values.byteOffset, map.values.byteLength);
        written(join(path, `${file}.npy`), Buffer.concat([npyHeader(map.rows, map.columns), bytes]));
        maps.push({
          target,
          probability,
          method: map.method,
          unit: unitOf(map.method),
          peak: peakOf(map),
          peakAt: peakPlace(map) ?? null,
          overlay: `${file}.png`,
          array: `${file}.npy`,
        });
      }
      const record: ExplanationRecord = {
        name: input.name,
        labels: prediction.labels,
        outcome: prediction.outcome,
        presence: { probability: presenceProbability(prediction.presenceScore), gate },
        maps,
      };
      records.push(record);
      if (cards.length < mostCards) {
        const image = await sharp(shown.pixels, {
          raw: { width: shown.width, height: shown.height, channels: 3 },
        })
          .resize(cardSide, cardSide, { fit: 'inside' })
          .webp({ quality: 70 })
          .toBuffer();
        const size = await sharp(image).metadata();
        const heats = await Promise.all(
          targets.map(async ({ map }) =>
            dataUrl('png', await heatPicture(map, { width: size.width, height: size.height })),
          ),
        );
        cards.push({ record, image: dataUrl('webp', image), heats });
      }
      return record;
    },
    finish() {
      const page = join(path, 'index.html');
      written(join(path, list), `${JSON.stringify({ model, images: records }, null, 2)}\n`);
      written(page, explanationPage({ model, cards, all: records.length, classes, decision }));
      return page;
    },
  };
}

function written(path: string, content: string | Uint8Array): void {
  writeFileAtomically(path, (write) => write(content));
}

function dataUrl(kind: string, bytes: Buffer): string {
  return `data:image/${kind};base64,${bytes.toString('base64')}`;
}

/** A part of a file name that every system takes. */
function fileName(text: string): string {
  return (
    text
      .replace(/[^A-Za-z0-9._-]+/g, '_')
      .replace(/^\.+/, '_')
      .slice(0, 60) || '_'
  );
}
