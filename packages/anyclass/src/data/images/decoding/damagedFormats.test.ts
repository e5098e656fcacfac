import { createRequire } from 'node:module';
import sharp from 'sharp';
import { beforeAll, describe, expect, test } from 'vitest';
import { damaged } from '../../../../test/damage.js';
import { bitmap, png16, tiff } from '../../../../test/deepImages.js';
import { dicomFile, losslessJpeg, runLengths, transferSyntaxes } from '../../../../test/dicomFile.js';
import { DataError } from '../../../errors/dataError.js';
import { decodeImage } from './decode.js';

const [width, height] = [24, 16];
const values = Array.from({ length: width * height }, (_, i) => (i * 37) % 4096);
const words = Uint16Array.from(values);
const plain = Buffer.from(words.buffer);
const format = { width, height, channels: 1, window: [0, 4095] } as const;

interface Encoder {
  setDecompositions?(levels: number): void;
  getDecodedBuffer(info: object): Uint8Array;
  encode(): void;
  getEncodedBuffer(): Uint8Array;
}

/** The decoders' packages also contain encoders. */
async function encodedBy(name: string, encoder: 'JpegLSEncoder' | 'J2KEncoder'): Promise<Buffer> {
  const module = await createRequire(import.meta.url)(name)({ print() {}, printErr() {} });
  const coder: Encoder = new module[encoder]();
  const info = {
    width,
    height,
    bitsPerSample: 16,
    componentCount: 1,
    isSigned: false,
    isUsingColorTransform: false,
  };
  coder.setDecompositions?.(2); // more levels than fit the image are an error
  coder.getDecodedBuffer(info).set(plain);
  coder.encode();
  const bytes = Buffer.from(coder.getEncodedBuffer());
  return bytes.length % 2 === 0 ? bytes : Buffer.concat([bytes, Buffer.alloc(1)]);
}

const compressed = (frame: Buffer, transferSyntax: string) =>
  dicomFile({ width, height, pixels: [frame], transferSyntax });

const files: Record<string, Buffer> = {
  'PNG of 16 bits': png16(values, width, height),
  'TIFF of 16 bits': tiff([values], width, height),
  DICOM: dicomFile({ width, height, pixels: plain }),
  'DICOM with RLE': compressed(runLengths(words), transferSyntaxes.runLengths),
  'DICOM with lossless JPEG': compressed(
    losslessJpeg(words, width, height, 6),
    transferSyntaxes.losslessJpeg,
  ),
};

beforeAll(async () => {
  files['bitmap'] = bitmap({
    width,
    height,
    bits: 24,
    pixels: Array.from({ length: 72 * height }, (_, i) => i % 251),
  });
  files['DICOM with JPEG-LS'] = compressed(
    await encodedBy('@cornerstonejs/codec-charls/wasmjs', 'JpegLSEncoder'),
    '1.2.840.10008.1.2.4.80',
  );
  files['DICOM with JPEG 2000'] = compressed(
    await encodedBy('@cornerstonejs/codec-openjpeg/wasmjs', 'J2KEncoder'),
    '1.2.840.10008.1.2.4.90',
  );
  const gray = await sharp(Buffer.from(values.map((value) => value >> 4)), {
    raw: { width, height, channels: 1 },
  })
    .jpeg()
    .toBuffer();
  files['DICOM with JPEG'] = dicomFile({
    width,
    height,
    bits: 8,
    pixels: [gray.length % 2 === 0 ? gray : Buffer.concat([gray, Buffer.alloc(1)])],
    transferSyntax: transferSyntaxes.jpeg,
  });
});

const decoded = (bytes: Uint8Array) => decodeImage({ kind: 'encoded', bytes }, format);

describe('undamaged', () => {
  const lossless = [
    'PNG of 16 bits',
    'TIFF of 16 bits',
    'DICOM',
    'DICOM with RLE',
    'DICOM with lossless JPEG',
  ];
  test.each([...lossless, 'DICOM with JPEG-LS', 'DICOM with JPEG 2000'])(
    '%s keeps every level',
    async (kind) => {
      expect([...(await decoded(files[kind]!))]).toEqual(
        values.map((value) => Math.round((255 * value) / 4095)),
      );
    },
  );
});

// Changed bytes may be pixels, which no decoder can detect without a checksum; missing
// bytes are always detected.
test('none of 180 mutations crashes or hangs the process, truncated files are refused, and a PNG gives its own pixels or none', async () => {
  const kinds = Object.keys(files);
  let refused = 0;
  for (let i = 0; i < 180; i++) {
    const kind = kinds[i % kinds.length]!;
    const whole = files[kind]!;
    const number = Math.floor(i / kinds.length) * 4 + (i % 4);
    const bytes = damaged(whole, number);
    const pixels = await decoded(bytes).catch((error: unknown) => {
      expect(error, kind).toBeInstanceOf(DataError);
      return undefined;
    });
    if (pixels === undefined) {
      refused += 1;
      continue;
    }
    expect(pixels).toHaveLength(width * height);
    const isCut = number % 4 === 0;
    if (!isCut && kind !== 'PNG of 16 bits') continue;
    expect(Buffer.from(await decoded(whole)).equals(pixels), `${kind}, mutation ${number}`).toBe(true);
  }
  expect(refused).toBeGreaterThan(60);
}, 60_000);
