import type { PixelFormat } from './pixelFormat.js';

/** How a stored picture is shown: turned clockwise by quarters, then optionally mirrored left to right. */
export interface Turn {
  readonly quarters: number;
  readonly isMirrored: boolean;
}

/**
 * Turns pixels; `format` describes the result.
 *
 * @example
 * turned(Uint8Array.of(1, 2), { quarters: 1, isMirrored: false }, { width: 1, height: 2, channels: 1 }) // 1, 2
 */
export function turned(pixels: Uint8Array, { quarters, isMirrored }: Turn, format: PixelFormat): Uint8Array {
  if (quarters === 0 && !isMirrored) return pixels;
  const { width, height, channels } = format;
  const [storedWidth, storedHeight] = quarters % 2 === 1 ? [height, width] : [width, height];
  const out = new Uint8Array(pixels.length);
  for (let y = 0; y < height; y++) {
    for (let shown = 0; shown < width; shown++) {
      const x = isMirrored ? width - 1 - shown : shown;
      const [column, row] = [
        [x, y],
        [y, storedHeight - 1 - x],
        [storedWidth - 1 - x, storedHeight - 1 - y],
        [storedWidth - 1 - y, x],
      ][quarters]!;
      const from = row! * storedWidth + column!;
      for (let c = 0; c < channels; c++)
        out[(y * width + shown) * channels + c] = pixels[from * channels + c]!;
    }
  }
  return out;
}
