const startOfScan = 0xda;
/** Frames: SOF0 to SOF15, without the tables and the extension among these numbers. */
const tables = [0xc4, 0xc8, 0xcc];

/**
 * How many components a JPEG has: 1 gray, 3 color, 4 for print; undefined for what is no JPEG.
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
