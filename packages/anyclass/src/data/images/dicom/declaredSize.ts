import { DataError } from '../../../errors/dataError.js';

/** The size that a compressed frame declares. */
export interface DeclaredSize {
  readonly width: number;
  readonly height: number;
  readonly samples: number;
  readonly bits: number;
}

/**
 * Reads the size from the header of a compressed frame.
 *
 * @example
 * declaredSize(fragment, 'JPEG-LS') // { width: 512, height: 512, samples: 1, bits: 16 }
 */
export function declaredSize(bytes: Uint8Array, coding: string): DeclaredSize {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const size = coding === 'JPEG 2000' ? codestreamSize(view) : jpegSize(view);
  if (!size) throw new DataError(`damaged ${coding}: it has no size`);
  return size;
}

/** The size from the frame marker: C0 to CF, or F7 in JPEG-LS. */
function jpegSize(view: DataView): DeclaredSize | undefined {
  for (let at = 2; at + 10 <= view.byteLength && view.getUint8(at) === 0xff; ) {
    const marker = view.getUint8(at + 1);
    if (marker === 0xff) {
      at += 1; // fill bytes
      continue;
    }
    const isFrame = (marker & 0xf0) === 0xc0 && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame || marker === 0xf7) {
      return {
        bits: view.getUint8(at + 4),
        height: view.getUint16(at + 5),
        width: view.getUint16(at + 7),
        samples: view.getUint8(at + 9),
      };
    }
    at += 2 + view.getUint16(at + 2);
  }
  return undefined;
}

/** The size from the SIZ marker, which is at the start or after the boxes of a JP2 file. */
function codestreamSize(view: DataView): DeclaredSize | undefined {
  const bytes = Buffer.from(view.buffer, view.byteOffset, view.byteLength);
  const at = bytes.indexOf(Buffer.of(0xff, 0x4f, 0xff, 0x51));
  if (at < 0 || at + 43 > view.byteLength) return undefined;
  return {
    width: view.getUint32(at + 8) - view.getUint32(at + 16),
    height: view.getUint32(at + 12) - view.getUint32(at + 20),
    samples: view.getUint16(at + 40),
    bits: (view.getUint8(at + 42) & 0x7f) + 1,
  };
}
