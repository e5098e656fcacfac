// Colors of values from 0 to 1. Viridis, cividis and magma are matplotlib's (released under CC0), sampled at
// 17 points and interpolated linearly. Their lightness rises steadily, so that high and low can be
// distinguished with any kind of color vision, and in a black-and-white print.

export const paletteNames = ['viridis', 'cividis', 'magma', 'gray'] as const;
export type PaletteName = (typeof paletteNames)[number];

const stops: Record<PaletteName, string> = {
  viridis:
    '440154 48186a 472d7b 424086 3b528b 33638d 2c728e 26828e 21918c 1fa088 28ae80 3fbc73 5ec962 84d44b addc30 d8e219 fde725',
  cividis:
    '00224e 002e6a 1a386f 32436d 434e6c 535a6d 61656f 6f7073 7d7c78 8c8878 9b9476 aba072 bcae6c cdbb63 dec958 f0d846 fee838',
  magma:
    '000004 0a0822 1d1147 36106b 51127c 6a1c81 832681 9c2e7f b73779 d0416f e75263 f56b5c fc8961 fea772 fec488 fde2a3 fcfdbf',
  gray: '101010 ffffff',
};

export interface Palette {
  /** 256 pixels in the format of ImageData, from the lowest value to the highest. */
  readonly pixels: Uint32Array;
  /** Returns a value's color for CSS and canvas. */
  readonly color: (share: number) => string;
  /** Returns black or white, whichever is easier to see on a value's color. */
  readonly ink: (share: number) => string;
}

/**
 * Returns a palette by name.
 *
 * @example
 * paletteOf('gray').color(0) // 'rgb(16,16,16)'
 */
export function paletteOf(name: PaletteName): Palette {
  const colors = stops[name]
    .split(' ')
    .map((hex) => [0, 2, 4].map((at) => Number.parseInt(hex.slice(at, at + 2), 16)));
  const bytes = new Uint8ClampedArray(4 * 256);
  for (let index = 0; index < 256; index++) {
    const place = (index / 255) * (colors.length - 1);
    const below = Math.min(Math.floor(place), colors.length - 2);
    for (let channel = 0; channel < 3; channel++) {
      const [from, to] = [colors[below]![channel]!, colors[below + 1]![channel]!];
      bytes[4 * index + channel] = Math.round(from + (to - from) * (place - below));
    }
    bytes[4 * index + 3] = 255;
  }
  const channels = (share: number) => {
    const at = 4 * Math.round(255 * Math.min(1, Math.max(0, share)));
    return [bytes[at]!, bytes[at + 1]!, bytes[at + 2]!] as const;
  };
  return {
    pixels: new Uint32Array(bytes.buffer),
    color: (share) => `rgb(${channels(share).join(',')})`,
    ink: (share) => (luminance(...channels(share)) > 0.22 ? '#000' : '#fff'),
  };
}

// Relative luminance as in WCAG 2; black and white have the same contrast at 0.18.
function luminance(red: number, green: number, blue: number): number {
  const linear = (channel: number) => (channel / 255) ** 2.2;
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
}
