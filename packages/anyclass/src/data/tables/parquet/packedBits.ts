import { DataError } from '../../../errors/dataError.js';

/** A number of variable length: seven bits in each byte, the lowest first, and a bit that says whether more follow. */
export function varint(bytes: Uint8Array, start: number): { readonly value: number; readonly end: number } {
  let value = 0;
  for (let at = start; at < bytes.length && at < start + 10; at++) {
    value += (bytes[at]! & 0x7f) * 2 ** (7 * (at - start));
    if (bytes[at]! < 0x80) return { value, end: at + 1 };
  }
  throw new DataError('a number ends early');
}

/** The same for numbers that may be negative: 0, -1, 1, -2… are stored as 0, 1, 2, 3… */
export function zigzag(bytes: Uint8Array, start: number): { readonly value: number; readonly end: number } {
  const { value, end } = varint(bytes, start);
  return { value: value % 2 === 0 ? value / 2 : -(value + 1) / 2, end };
}

/**
 * Reads `count` numbers of `width` bits each, the lowest bits first.
 *
 * @example
 * unpackBits(Uint8Array.of(0b11_10_01_00), 0, 2, 4, (value) => value) // takes 0, 1, 2, 3
 */
export function unpackBits(
  bytes: Uint8Array,
  start: number,
  width: number,
  count: number,
  take: (value: number) => void,
): void {
  let at = start;
  let bits = 0;
  let held = 0;
  // Up to 24 bits, an integer holds them together with those left over from the last byte.
  if (width <= 24) {
    const mask = (1 << width) - 1;
    for (let i = 0; i < count; i++) {
      for (; held < width; held += 8) bits |= bytes[at++]! << held;
      take(bits & mask);
      bits >>>= width;
      held -= width;
    }
    return;
  }
  for (let i = 0; i < count; i++) {
    for (; held < width; held += 8) bits += bytes[at++]! * 2 ** held;
    take(bits % 2 ** width);
    bits = Math.floor(bits / 2 ** width);
    held -= width;
  }
}
