/** Pixels read from a canvas at a time; phones lack memory for whole pictures and limit the size of a canvas. */
const stripPixels = 2 ** 20;

/**
 * Yields the pixels of a bitmap in RGB, in strips of whole rows from the top, drawn on black.
 *
 * @example
 * for (const strip of bitmapStrips(bitmap)) console.log(strip.length / (3 * bitmap.width), 'rows');
 */
export function* bitmapStrips(bitmap: ImageBitmap): Generator<Uint8Array> {
  const { width, height } = bitmap;
  const rows = Math.max(1, Math.min(height, Math.floor(stripPixels / width)));
  // Without alpha, it starts black and stays opaque. `willReadFrequently` keeps it in memory rather than on the GPU.
  const context = new OffscreenCanvas(width, rows).getContext('2d', {
    alpha: false,
    willReadFrequently: true,
  });
  if (!context) throw new Error('this browser does not provide a canvas to read pixels from');
  context.imageSmoothingEnabled = false;
  for (let top = 0; top < height; top += rows) {
    const count = Math.min(rows, height - top);
    context.fillRect(0, 0, width, rows);
    context.drawImage(bitmap, 0, top, width, count, 0, 0, width, count);
    yield withoutAlpha(context.getImageData(0, 0, width, count).data);
  }
}

function withoutAlpha(rgba: Uint8ClampedArray): Uint8Array {
  const rgb = new Uint8Array((rgba.length / 4) * 3);
  for (let from = 0, to = 0; to < rgb.length; from += 4, to += 3) {
    rgb[to] = rgba[from]!;
    rgb[to + 1] = rgba[from + 1]!;
    rgb[to + 2] = rgba[from + 2]!;
  }
  return rgb;
}
