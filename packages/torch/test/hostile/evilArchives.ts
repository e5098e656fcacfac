// Files that are not checkpoints, and archives that lie about their content.

import { int, pickle } from './pickleBuilder.js';
import { buildZip, type ZipClaims, type ZipPiece } from './zipBuilder.js';

/**
 * Builds an archive like torch.save's around a pickle. Storage '0' holds one float32.
 *
 * @example
 * checkpointOf(pickle(int(7))).length // 354
 */
export function checkpointOf(
  data: Uint8Array,
  more: readonly ZipPiece[] = [],
  claims: ZipClaims = {},
): Buffer {
  // Large pickles are deflated, so that they are quick to write.
  const deflate = data.length > 10_000;
  return buildZip(
    [
      { name: 'archive/data.pkl', data, deflate },
      { name: 'archive/data/0', data: new Uint8Array([0, 0, 128, 63]) },
      ...more,
      { name: 'archive/version', data: '3\n' },
    ],
    claims,
  );
}

const seven = pickle(int(7));
const million = Buffer.alloc(1_000_000);

/** Archives and other files that must be refused, with a pattern for the message. */
export const refusedFiles: readonly (readonly [string, Uint8Array, RegExp])[] = [
  ['an empty file', Buffer.alloc(0), /does not start like a zip archive/],
  ['one byte', Buffer.from([0x80]), /does not start like a zip archive/],
  ['a picture', Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), /does not start like a zip archive/],
  ['only the start of an archive', Buffer.from('PK\x03\x04'), /no directory at its end; truncated\?/],
  ['a checkpoint of PyTorch 1.5', legacyHead(), /before PyTorch 1\.6.*torch\.save\(torch\.load/],
  ['a checkpoint of PyTorch 0.1', tarHead(), /before PyTorch 1\.6/],
  ['a safetensors file', Buffer.from('\x02\0\0\0\0\0\0\0{}', 'latin1'), /read it with readSafetensors/],
  [
    'a TorchScript program',
    checkpointOf(seven, [piece('archive/constants.pkl')]),
    /TorchScript.*state_dict\(\)/,
  ],
  ['an early TorchScript program', checkpointOf(seven, [piece('archive/model.json')]), /TorchScript/],
  ['any other archive', buildZip([piece('word/document.xml')]), /without data\.pkl/],
  ['two checkpoints in one', checkpointOf(seven, [piece('other/data.pkl')]), /several checkpoints/],
  [
    'big-endian tensors',
    checkpointOf(seven, [{ name: 'archive/byteorder', data: 'big' }]),
    /byte order "big"/,
  ],
  [
    'a long byte order',
    checkpointOf(seven, [{ name: 'archive/byteorder', data: million }]),
    /byte order "something/,
  ],
  ['two entries of one name', checkpointOf(seven, [piece('archive/version')]), /two entries called/],
  ['an entry above the root', checkpointOf(seven, [piece('../evil')]), /suspicious name "\.\.\/evil"/],
  ['an entry with an absolute path', checkpointOf(seven, [piece('/etc/passwd')]), /suspicious name/],
  ['an entry with a Windows path', checkpointOf(seven, [piece('archive\\..\\x')]), /suspicious name/],
  ['a control character', checkpointOf(seven, [piece('a\u0007')]), /suspicious name "a\\u0007"/],
  [
    'overlapping entries',
    claiming({ start: 0, storedSize: 20, size: 20 }),
    /a header that differs from the directory/,
  ],
  ['an entry over the next', overlapping(), /overlap/],
  ['an entry beyond the file', claiming({ start: 2 ** 31 }), /outside the archive's data/],
  [
    'an entry longer than the file',
    claiming({ size: 2 ** 31, storedSize: 2 ** 31 }),
    /more than the archive holds/,
  ],
  ['64-bit sizes that are missing', claiming({ size: 0xffffffff }), /lacks its 64-bit sizes/],
  ['an uncompressed entry of two sizes', claiming({ size: 5, storedSize: 4 }), /has two sizes/],
  ['an encrypted entry', claiming({ flags: 1 }), /is encrypted/],
  ['bzip2', claiming({ method: 12 }), /compressed by method 12/],
  ['a wrong checksum', buildZip([{ name: 'a/data.pkl', data: seven, claims: { checksum: 1 } }]), /checksum/],
  [
    'a bomb of 100 MB',
    checkpointOf(seven, [bomb(100_000_000)]),
    /claims to inflate from \d+ to 100000000 bytes/,
  ],
  ['a bomb that claims 4 GB', lyingPickle(2 ** 32 - 2), /claims to inflate/],
  ['an entry that inflates to more than it says', lyingPickle(10), /cannot be inflated to its 10 bytes/],
  [
    'an entry that inflates to less than it says',
    lyingPickle(2_000_000),
    /does not inflate to its 2000000 bytes/,
  ],
  ['bytes that do not inflate', notDeflated(), /cannot be inflated|a header that differs/],
  ['more entries than fit', checkpointOf(seven, [], { entries: 65_535 }), /claims 65535 entries/],
  [
    'a directory elsewhere',
    checkpointOf(seven, [], { directoryStart: 10 }),
    /does not end at its end record/,
  ],
  ['one part of several', checkpointOf(seven, [], { disk: 1 }), /several files/],
  [
    'a truncated comment',
    checkpointOf(seven, [], { comment: 'x' }).subarray(0, -1),
    /no directory at its end/,
  ],
  [
    'an archive with a tail',
    Buffer.concat([checkpointOf(seven), Buffer.from('x')]),
    /no directory at its end/,
  ],
  [
    'an archive with a head',
    Buffer.concat([checkpointOf(seven), checkpointOf(seven)]),
    /does not end at its end/,
  ],
  ['only part of the directory', halfDirectory(), /breaks off|does not end/],
];

function piece(name: string): ZipPiece {
  return { name, data: 'x' };
}

function claiming(claims: NonNullable<ZipPiece['claims']>): Buffer {
  return checkpointOf(seven, [{ name: 'archive/data/1', data: 'abcd', claims }]);
}

function overlapping(): Buffer {
  return buildZip([
    { name: 'archive/data/1', data: 'abcd', claims: { size: 40, storedSize: 40 } },
    { name: 'archive/data.pkl', data: seven },
  ]);
}

function bomb(size: number): ZipPiece {
  return { name: 'archive/data/1', data: Buffer.alloc(size), deflate: true };
}

function lyingPickle(size: number): Buffer {
  return buildZip([{ name: 'archive/data.pkl', data: million, deflate: true, claims: { size } }]);
}

/** The method is in both headers, so both are patched by hand to stay consistent. */
function notDeflated(): Buffer {
  const bytes = buildZip([{ name: 'archive/data.pkl', data: Buffer.alloc(9, 255) }]);
  bytes.writeUInt16LE(8, 8);
  bytes.writeUInt16LE(8, bytes.indexOf('PK\x01\x02', 0, 'latin1') + 10);
  return bytes;
}

function halfDirectory(): Buffer {
  const bytes = checkpointOf(seven);
  const record = bytes.lastIndexOf('PK\x01\x02', undefined, 'latin1');
  bytes.writeUInt16LE(60_000, record + 30);
  return bytes;
}

/** The magic number at the start of torch.save's files before 1.6, as a pickled integer. */
function legacyHead(): Buffer {
  return Buffer.from('80028a0a6cfc9c46f9206aa850192e', 'hex');
}

function tarHead(): Buffer {
  const bytes = Buffer.alloc(1024);
  bytes.write('storages', 0);
  bytes.write('ustar', 257);
  return bytes;
}
