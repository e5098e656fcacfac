// Numbers as pixels: pictures need no font of the machine, which may have none.

/** Rows of five pixels, from the top. */
const glyphs: Readonly<Record<string, readonly number[]>> = {
  0: [0b01110, 0b10001, 0b10011, 0b10101, 0b11001, 0b10001, 0b01110],
  1: [0b00100, 0b01100, 0b00100, 0b00100, 0b00100, 0b00100, 0b01110],
  2: [0b01110, 0b10001, 0b00001, 0b00110, 0b01000, 0b10000, 0b11111],
  3: [0b01110, 0b10001, 0b00001, 0b00110, 0b00001, 0b10001, 0b01110],
  4: [0b00010, 0b00110, 0b01010, 0b10010, 0b11111, 0b00010, 0b00010],
  5: [0b11111, 0b10000, 0b11110, 0b00001, 0b00001, 0b10001, 0b01110],
  6: [0b00110, 0b01000, 0b10000, 0b11110, 0b10001, 0b10001, 0b01110],
  7: [0b11111, 0b00001, 0b00010, 0b00100, 0b01000, 0b01000, 0b01000],
  8: [0b01110, 0b10001, 0b10001, 0b01110, 0b10001, 0b10001, 0b01110],
  9: [0b01110, 0b10001, 0b10001, 0b01111, 0b00001, 0b00010, 0b01100],
  '.': [0, 0, 0, 0, 0, 0b01100, 0b01100],
  '-': [0, 0, 0, 0b01110, 0, 0, 0],
  '+': [0, 0b00100, 0b00100, 0b11111, 0b00100, 0b00100, 0],
  e: [0, 0, 0b01110, 0b10001, 0b11111, 0b10000, 0b01110],
};

/** The height of every number, in pixels. */
export const numberHeight = 7;

/**
 * Draws a number, such as 12, 0.35 or 1e-7.
 *
 * @example
 * drawNumber('1.5').width // 17
 */
export function drawNumber(text: string): { readonly width: number; isSet(x: number, y: number): boolean } {
  const rows = [...text].map((sign) => glyphs[sign] ?? []);
  return {
    width: Math.max(0, 6 * rows.length - 1),
    isSet: (x, y) => x % 6 < 5 && (((rows[Math.floor(x / 6)]?.[y] ?? 0) >> (4 - (x % 6))) & 1) === 1,
  };
}
