// Streams of real images as a server in the field gets them: like the test split, or shifted.

import { openDataset } from 'anyclass/data';
import sharp from 'sharp';

/** What is done to the images of a stream. */
export interface Shift {
  /** Factor of all pixels. */
  readonly brightness?: number;
  /** Standard deviation of a Gaussian, in pixels. */
  readonly blur?: number;
  /** Negatives are images that show one of these; the other negatives are left out. */
  readonly negativesWith?: readonly string[];
}

/** Real images with all of their categories, of which the model knows some. */
export interface Photos {
  /** Rows of these names, in this order. */
  rowsOf(names: readonly string[]): number[];
  /** Whether a class of the model is in the image. */
  isPresent(row: number, className: string): boolean;
  isNegative(row: number): boolean;
  shows(row: number, categories: readonly string[]): boolean;
  /** The image as a client would send it. */
  encoded(row: number, shift: Shift): Promise<Uint8Array>;
  close(): Promise<void>;
}

/** Opens a dataset with all categories; `classes` are those that the model predicts. */
export async function openPhotos(data: string, classes: readonly string[]): Promise<Photos> {
  const { names, labels, classes: categories, images } = await openDataset(data);
  const rows = new Map(Array.from({ length: names.length }, (_, row) => [names.at(row), row]));
  const column = (name: string) => {
    const found = categories.indexOf(name);
    if (found < 0) throw new Error(`${data} has no category '${name}'`);
    return found;
  };
  const columns = new Map(classes.map((name) => [name, column(name)]));
  return {
    rowsOf: (wanted) =>
      wanted.map((name) => {
        const row = rows.get(name);
        if (row === undefined) throw new Error(`${data} has no image '${name}'; is it the data of the run?`);
        return row;
      }),
    isPresent: (row, name) => labels.isPresent(row, columns.get(name) ?? column(name)),
    isNegative: (row) => [...columns.values()].every((j) => !labels.isPresent(row, j)),
    shows: (row, wanted) => wanted.some((name) => labels.isPresent(row, column(name))),
    async encoded(row, { brightness = 1, blur }) {
      const image = await images.read(row);
      if (image.kind === 'encoded' && brightness === 1 && blur === undefined) return image.bytes;
      const { pixels, width, height, channels } =
        image.kind === 'pixels' ? image : await rawPixels(image.bytes);
      const raw = sharp(pixels, { raw: { width, height, channels } }).linear(brightness, 0);
      return (blur === undefined ? raw : raw.blur(blur)).png({ compressionLevel: 1 }).toBuffer();
    },
    close: () => images.close(),
  };
}

async function rawPixels(bytes: Uint8Array) {
  const { data, info } = await sharp(bytes).toColorspace('srgb').removeAlpha().raw().toBuffer({
    resolveWithObject: true,
  });
  return { pixels: data, width: info.width, height: info.height, channels: info.channels };
}

/** Images per request, and requests at a time: half of what a server has room for by default. */
const [imagesPerRequest, requestsAtATime] = [16, 8];

/** Sends the images to a model of a server; their names are the rows. */
export async function send(
  url: string,
  model: string,
  photos: Photos,
  rows: readonly number[],
  shift: Shift,
): Promise<void> {
  let next = 0;
  const sendSome = async () => {
    while (next < rows.length) {
      const some = rows.slice(next, next + imagesPerRequest);
      next += imagesPerRequest;
      const form = new FormData();
      for (const row of some) {
        form.append('image', new Blob([Uint8Array.from(await photos.encoded(row, shift))]), String(row));
      }
      const answer = await fetch(`${url}/v1/predict?model=${model}`, { method: 'POST', body: form });
      if (!answer.ok) throw new Error(await answer.text());
      await answer.arrayBuffer();
    }
  };
  await Promise.all(Array.from({ length: requestsAtATime }, sendSome));
}
