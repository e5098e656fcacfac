// Builds zip archives that can make arbitrary claims, true or not.

import { crc32, deflateRawSync } from 'node:zlib';

/** A file to pack. `claims` replace the truth in the directory. */
export interface ZipPiece {
  readonly name: string;
  readonly data: Uint8Array | string;
  readonly deflate?: boolean;
  /** Stores sizes and position in the directory's 64-bit field, as for files over 4 GiB. */
  readonly wide?: boolean;
  readonly claims?: Partial<
    Record<'size' | 'storedSize' | 'checksum' | 'start' | 'method' | 'flags', number>
  >;
}

/** Claims about the directory itself. */
export interface ZipClaims {
  readonly entries?: number;
  readonly directoryStart?: number;
  readonly disk?: number;
  readonly comment?: string;
}

/**
 * Packs files into an archive.
 *
 * @example
 * buildZip([{ name: 'archive/version', data: '3\n' }]).length // 130
 */
export function buildZip(pieces: readonly ZipPiece[], claims: ZipClaims = {}): Buffer {
  const files: Buffer[] = [];
  const records: Buffer[] = [];
  let start = 0;
  for (const { name, data, deflate = false, wide = false, claims: own = {} } of pieces) {
    const content = Buffer.from(data);
    const stored = deflate ? deflateRawSync(content) : content;
    const nameBytes = Buffer.from(name);
    const method = deflate ? 8 : 0;
    const header = fields([4, 0x04034b50], [2, 20], [2, 0], [2, method], [4, 0], [4, crc32(content)]);
    const sizes = fields([4, stored.length], [4, content.length], [2, nameBytes.length], [2, 0]);
    files.push(header, sizes, nameBytes, stored);
    const places = [own.size ?? content.length, own.storedSize ?? stored.length, own.start ?? start] as const;
    const [size, storedSize, headerStart] = wide ? [inZip64, inZip64, inZip64] : places;
    const extra = wide
      ? fields(
          [2, 1],
          [2, 24],
          ...places.flatMap(
            (value) =>
              [
                [4, value],
                [4, 0],
              ] as const,
          ),
        )
      : fields();
    records.push(
      fields([4, 0x02014b50], [2, 20], [2, 20], [2, own.flags ?? 0], [2, own.method ?? method], [4, 0]),
      fields([4, own.checksum ?? crc32(content)], [4, storedSize], [4, size], [2, nameBytes.length]),
      fields([2, extra.length], [2, 0], [2, 0], [2, 0], [4, 0], [4, headerStart]),
      nameBytes,
      extra,
    );
    start += header.length + sizes.length + nameBytes.length + stored.length;
  }
  const directory = Buffer.concat(records);
  const entries = claims.entries ?? pieces.length;
  const comment = Buffer.from(claims.comment ?? '');
  const end = fields([4, 0x06054b50], [2, claims.disk ?? 0], [2, 0], [2, entries], [2, entries]);
  const place = fields([4, directory.length], [4, claims.directoryStart ?? start], [2, comment.length]);
  return Buffer.concat([...files, directory, end, place, comment]);
}

const inZip64 = 0xffffffff;

/** Little-endian unsigned integers, each as [bytes, value]. */
function fields(...values: readonly (readonly [number, number])[]): Buffer {
  const bytes = Buffer.alloc(values.reduce((total, [width]) => total + width, 0));
  let at = 0;
  for (const [width, value] of values) at = bytes.writeUIntLE(value, at, width);
  return bytes;
}
