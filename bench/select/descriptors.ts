// Images as numbers without a network: histograms of oriented gradients (Dalal and Triggs, CVPR 2005) and the colors of a coarse grid.

import sharp from 'sharp';

const side = 64;
const cells = 8;
const orientations = 8;
const colorGrid = 4;
export const descriptorWidth = cells * cells * orientations + colorGrid * colorGrid * 3;

type Stored =
  | { readonly kind: 'encoded'; readonly bytes: Uint8Array }
  | {
      readonly kind: 'pixels';
      readonly pixels: Uint8Array;
      readonly width: number;
      readonly height: number;
      readonly channels: 1 | 3;
    };

export async function describeImages(
  rows: readonly number[],
  read: (row: number) => Promise<Stored>,
): Promise<Float32Array> {
  const values = new Float32Array(rows.length * descriptorWidth);
  const block = 32;
  for (let from = 0; from < rows.length; from += block)
    await Promise.all(
      rows.slice(from, from + block).map(async (row, i) => {
        values.set(await describe(await read(row)), (from + i) * descriptorWidth);
      }),
    );
  return values;
}

async function describe(image: Stored): Promise<Float32Array> {
  const opened =
    image.kind === 'encoded'
      ? sharp(image.bytes)
      : sharp(image.pixels, {
          raw: { width: image.width, height: image.height, channels: image.channels },
        });
  const pixels = await opened
    .resize(side, side, { fit: 'fill' })
    .toColorspace('srgb')
    .removeAlpha()
    .raw()
    .toBuffer();
  const channels = pixels.length / (side * side);
  const gray = Float32Array.from({ length: side * side }, (_, i) => {
    let sum = 0;
    for (let c = 0; c < channels; c++) sum += pixels[i * channels + c]!;
    return sum / channels / 255;
  });
  const out = new Float32Array(descriptorWidth);
  for (let y = 1; y < side - 1; y++)
    for (let x = 1; x < side - 1; x++) {
      const dx = gray[y * side + x + 1]! - gray[y * side + x - 1]!;
      const dy = gray[(y + 1) * side + x]! - gray[(y - 1) * side + x]!;
      const angle = (Math.atan2(dy, dx) + Math.PI) % Math.PI;
      const orientation = Math.min(orientations - 1, Math.floor((angle / Math.PI) * orientations));
      const cell = Math.floor((y * cells) / side) * cells + Math.floor((x * cells) / side);
      const at = cell * orientations + orientation;
      out[at] = out[at]! + Math.hypot(dx, dy) / 16;
    }
  for (let i = 0; i < cells * cells * orientations; i++) out[i] = Math.sqrt(out[i]!);
  const step = side / colorGrid;
  for (let i = 0; i < side * side; i++) {
    const block = Math.floor(Math.floor(i / side) / step) * colorGrid + Math.floor((i % side) / step);
    for (let c = 0; c < 3; c++) {
      const at = cells * cells * orientations + 3 * block + c;
      out[at] = out[at]! + pixels[i * channels + Math.min(c, channels - 1)]! / 255 / (step * step);
    }
  }
  return out;
}
