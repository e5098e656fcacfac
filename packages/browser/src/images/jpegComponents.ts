const startOfScan = 0xda;
/** Markers from SOF0 to SOF15 that are not frames: tables and an extension. */
const tables = [0xc4, 0xc8, 0xcc];

/**
 * Returns how many components a JPEG has: 1 for gray, 3 for color, 4 for print; undefined if it is not a JPEG.
 *
 * @example
 * jpegComponents(new Uint8Array(await file.arrayBuffer())) // 3
 */
export function jpegComponents(bytes: Uint8Array): number | undefined {
  if (bytes[0] !== 0xff || bytes[1] !== 0xd8 || bytes[2] !== 0xff) return undefined;
  for (let at = 2; at + 9 < bytes.length && bytes[at] === 0xff; ) {
    const marker = bytes[at + 1]!;
    if (marker === 0xff) {
      at++; // padding
      continue;
    }
    if (marker >= 0xc0 && marker <= 0xcf && !tables.includes(marker)) return bytes[at + 9];
    if (marker === startOfScan) break;
    at += 2 + bytes[at + 2]! * 256 + bytes[at + 3]!;
  }
  return undefined;
}
