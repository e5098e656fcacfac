import { totalmem } from 'node:os';
import { imageBytes } from '../dataset/reading/pixelFormat.js';
import type { PixelSource } from './pixelSource.js';

/** How memory is taken, and when to stop taking more. */
export interface MemoryLimits {
  /** Bytes that are taken at once. */
  readonly slab?: number;
  /** Whether so many more bytes may be taken. By default, 30% of the machine's or container's memory stays free. */
  readonly hasRoom?: (bytes: number) => boolean;
}

/**
 * Keeps images in memory once they are decoded, as far as there is room, so that later epochs do not decode them again: a GPU trains on small images
 * several times as fast as a machine decodes them. Images that cannot be read are tried again each time.
 *
 * @example
 * const pixels = rememberedPixels(decodedPixels(dataset.images, format));
 * await pixels.readInto(0, out, 0); // decodes
 * await pixels.readInto(0, out, 0); // copies
 */
export function rememberedPixels(
  source: PixelSource,
  { slab = 64 * 2 ** 20, hasRoom = leavesRoom }: MemoryLimits = {},
): PixelSource {
  const stride = imageBytes(source.format);
  const perSlab = Math.max(1, Math.floor(slab / stride));
  const slabs: Uint8Array[] = [];
  const places = new Map<number, number>();
  let isFull = false;

  const remembered = (row: number): Uint8Array | undefined => {
    const place = places.get(row);
    if (place === undefined) return undefined;
    const start = (place % perSlab) * stride;
    return slabs[Math.floor(place / perSlab)]!.subarray(start, start + stride);
  };
  const remember = (row: number, pixels: Uint8Array): void => {
    if (isFull || places.has(row)) return;
    const place = places.size;
    if (place === slabs.length * perSlab) {
      isFull = !hasRoom(perSlab * stride);
      if (isFull) return;
      slabs.push(new Uint8Array(perSlab * stride));
    }
    places.set(row, place);
    remembered(row)!.set(pixels);
  };
  return {
    format: source.format,
    async readInto(row, out, offset) {
      const known = remembered(row);
      if (known) return out.set(known, offset);
      await source.readInto(row, out, offset);
      remember(row, out.subarray(offset, offset + stride));
    },
    async readAll(rows, out) {
      if (!rows.every((row) => places.has(row))) return (await source.readAll?.(rows, out)) ?? false;
      for (const [i, row] of rows.entries()) out.set(remembered(row)!, i * stride);
      return true;
    },
    close: () => source.close(),
  };
}

function leavesRoom(bytes: number): boolean {
  const limit = process.constrainedMemory();
  const total = limit > 0 ? Math.min(limit, totalmem()) : totalmem();
  return process.availableMemory() - bytes > 0.3 * total;
}
