// sRGB to linear light and back, IEC 61966-2-1.

const linear = Float64Array.from({ length: 256 }, (_, byte) => {
  const value = byte / 255;
  return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
});

/** In steps of 1/255, which is coarse for dark pixels but matches Node's libvips; the last entry is repeated. */
const encoded = Float64Array.from({ length: 257 }, (_, step) => {
  const light = Math.min(1, step / 255);
  return Math.round(255 * (light <= 0.0031308 ? light * 12.92 : 1.055 * light ** (1 / 2.4) - 0.055));
});

/**
 * Converts RGB pixels to gray as libvips does: a mean in linear light, by Rec. 709. Fractional values are interpolated.
 *
 * @example
 * grayPixels(Uint8Array.of(255, 0, 0, 255, 255, 255)) // 127, 255
 */
export function grayPixels(rgb: Uint8Array | Float32Array): Uint8Array {
  return Uint8Array.from({ length: rgb.length / 3 }, (_, i) => {
    const [red, green, blue] = [lightOf(rgb[3 * i]!), lightOf(rgb[3 * i + 1]!), lightOf(rgb[3 * i + 2]!)];
    const light = Math.min(255, 255 * (0.2126 * red + 0.7152 * green + 0.0722 * blue));
    const step = Math.floor(light);
    return encoded[step]! + (encoded[step + 1]! - encoded[step]!) * (light - step) + 0.5;
  });
}

function lightOf(value: number): number {
  const level = Math.floor(value);
  const light = linear[level]!;
  return level === value ? light : light + (linear[level + 1]! - light) * (value - level);
}
