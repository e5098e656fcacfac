import sharp, { type Sharp } from 'sharp';
import { randomStream } from '../src/data/random/philox.js';

export const pictureSide = 160;

/**
 * A picture for perceptual hashes: waves of many lengths, weaker the shorter they are, as in a photograph; different for
 * each number. Each call of the result starts a new image.
 */
export function wavyPicture(number: number): () => Sharp {
  const draw = randomStream('sample', 5, 0, number);
  const waves = Array.from({ length: 300 }, () => {
    const [fx, fy] = [draw.below(33) - 16, draw.below(17)];
    return { fx, fy, phase: draw.below(1000) / 159, strength: 22 / (1 + Math.hypot(fx, fy)) };
  });
  const gray = new Float64Array(pictureSide * pictureSide).fill(128);
  // cos(a + b) = cos a cos b - sin a sin b, so that a picture takes milliseconds.
  for (const { fx, fy, phase, strength } of waves) {
    const across = Array.from({ length: pictureSide }, (_, x) => (Math.PI * fx * x) / pictureSide + phase);
    const [cosX, sinX] = [Float64Array.from(across, Math.cos), Float64Array.from(across, Math.sin)];
    for (let y = 0; y < pictureSide; y++) {
      const down = (Math.PI * fy * y) / pictureSide;
      const [cosY, sinY] = [strength * Math.cos(down), strength * Math.sin(down)];
      for (let x = 0; x < pictureSide; x++) {
        const at = y * pictureSide + x;
        gray[at] = gray[at]! + cosX[x]! * cosY - sinX[x]! * sinY;
      }
    }
  }
  const pixels = Uint8ClampedArray.from(
    { length: 3 * gray.length },
    (_, i) => gray[Math.floor(i / 3)]! + 20 * (i % 3),
  );
  return () => sharp(pixels, { raw: { width: pictureSide, height: pictureSide, channels: 3 } });
}
