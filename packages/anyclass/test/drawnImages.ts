import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';

/**
 * Writes `photos/images` and `photos/labels.csv` into a folder. Bright squares are one class, bright stripes
 * another; a third of the images show neither, and in some, stripes are unknown.
 */
export async function drawImages(folder: string, count = 60): Promise<void> {
  mkdirSync(join(folder, 'photos', 'images'), { recursive: true });
  const lines = ['Filename,square,stripe'];
  for (let i = 0; i < count; i++) {
    const pixels = new Uint8Array(32 * 32).fill(20 + (i % 7));
    const [square, stripe] = [i % 3 === 0, i % 3 === 1];
    for (let y = 0; y < 32; y++) {
      for (let x = 0; x < 32; x++) {
        if ((square && x > 8 && x < 20 && y > 8 && y < 20) || (stripe && y % 8 === i % 8))
          pixels[32 * y + x] = 230;
      }
    }
    const image = sharp(pixels, { raw: { width: 32, height: 32, channels: 1 } });
    await image.png().toFile(join(folder, 'photos', 'images', `${i}.png`));
    lines.push(`${i}.png,${Number(square)},${i % 10 === 9 ? '' : Number(stripe)}`);
  }
  writeFileSync(join(folder, 'photos', 'labels.csv'), `${lines.join('\n')}\n`);
}
