// The samples of one frame of a DICOM file, from any of the transfer syntaxes in common use, as plain little-endian bytes.

import type { DataSet, Element } from 'dicom-parser';
import sharp from 'sharp';
import { DataError } from '../../../errors/dataError.js';
import { type DecodedFrame, decodeFrame } from './codecs.js';
import { type DeclaredSize, declaredSize } from './declaredSize.js';
import { type DicomHeader, frameBits } from './dicomHeader.js';
import { decodeLosslessJpeg } from './losslessJpeg.js';
import { decodeRunLengths } from './runLengths.js';

/** The samples of a frame. */
export interface FrameSamples {
  /** Little endian, each with the number of bits that the header allocates. */
  readonly bytes: Uint8Array;
  readonly isPlanar: boolean;
  /** Whether the colors are already RGB, whatever the header says. */
  readonly isRgb: boolean;
}

const uncompressed = ['1.2.840.10008.1.2', '1.2.840.10008.1.2.1', '1.2.840.10008.1.2.1.99'];
const bigEndian = '1.2.840.10008.1.2.2';
const compressed: Readonly<Record<string, 'RLE' | 'JPEG' | 'lossless JPEG' | 'JPEG-LS' | 'JPEG 2000'>> = {
  '1.2.840.10008.1.2.5': 'RLE',
  '1.2.840.10008.1.2.4.50': 'JPEG',
  '1.2.840.10008.1.2.4.51': 'JPEG',
  '1.2.840.10008.1.2.4.57': 'lossless JPEG',
  '1.2.840.10008.1.2.4.70': 'lossless JPEG',
  '1.2.840.10008.1.2.4.80': 'JPEG-LS',
  '1.2.840.10008.1.2.4.81': 'JPEG-LS',
  '1.2.840.10008.1.2.4.90': 'JPEG 2000',
  '1.2.840.10008.1.2.4.91': 'JPEG 2000',
};

/**
 * Reads the samples of one frame.
 *
 * @param frame counted from 0
 *
 * @example
 * (await frameSamples(file, header, 0)).bytes.length // 131072
 */
export async function frameSamples(file: DataSet, header: DicomHeader, frame: number): Promise<FrameSamples> {
  const { transferSyntax, isPlanar } = header;
  const element = file.elements['x7fe00010']!;
  if (uncompressed.includes(transferSyntax)) {
    return { bytes: plainFrame(file, element, header, frame), isPlanar, isRgb: false };
  }
  if (transferSyntax === bigEndian) {
    const turned = { byteArray: littleEndian(file.byteArray, element, header.bitsAllocated) };
    return { bytes: plainFrame(turned, element, header, frame), isPlanar, isRgb: false };
  }
  const coding = compressed[transferSyntax];
  if (coding === undefined) {
    throw new DataError(
      `the transfer syntax ${transferSyntax} is not supported; convert the file, for example with gdcmconv --raw`,
    );
  }
  const encoded = await encodedFrame(file, element, header, frame);
  if (coding === 'RLE') return { bytes: decodeRunLengths(encoded, header), isPlanar: true, isRgb: false };
  // Checked before decoding: with a damaged size, that could take minutes or all memory.
  checkSize(declaredSize(encoded, coding), header, coding);
  const decoded = await decode(coding, encoded, header);
  checkSize(decoded, header, coding);
  const isRgb =
    coding === 'JPEG' || header.photometric.startsWith('YBR_ICT') || header.photometric === 'YBR_RCT';
  return { bytes: widened(decoded, header), isPlanar: decoded.isPlanar, isRgb };
}

async function decode(
  coding: 'JPEG' | 'lossless JPEG' | 'JPEG-LS' | 'JPEG 2000',
  encoded: Uint8Array,
  header: DicomHeader,
): Promise<DecodedFrame> {
  if (coding === 'lossless JPEG') return decodeLosslessJpeg(encoded);
  if (coding === 'JPEG') return decodeJpeg(encoded, header);
  return decodeFrame({ codec: coding, encoded }, header.width * header.height);
}

async function decodeJpeg(encoded: Uint8Array, { samples, photometric }: DicomHeader): Promise<DecodedFrame> {
  const { bits } = declaredSize(encoded, 'JPEG');
  if (bits !== 8)
    throw new DataError(
      `JPEG of ${bits} bits is not supported; convert the file, for example with gdcmconv --raw`,
    );
  const { data, info } = await sharp(photometric === 'RGB' ? markedRgb(encoded) : encoded, {
    failOn: 'error',
  })
    .toColorspace(samples === 1 ? 'b-w' : 'srgb')
    .raw()
    .toBuffer({ resolveWithObject: true });
  const { width, height, channels } = info;
  return { bytes: data, width, height, samples: channels, bits: 8, isPlanar: false };
}

/**
 * Adds Adobe's marker for 'no color transform' if there is no marker; decoders would
 * take the colors for YCbCr.
 */
function markedRgb(jpeg: Uint8Array): Uint8Array {
  const isMarked = jpeg[2] === 0xff && (jpeg[3] === 0xe0 || jpeg[3] === 0xee);
  if (isMarked) return jpeg;
  const adobe = [0xff, 0xee, 0, 14, ...Buffer.from('Adobe'), 0, 100, 0, 0, 0, 0, 0];
  return Buffer.concat([jpeg.subarray(0, 2), Uint8Array.from(adobe), jpeg.subarray(2)]);
}

function plainFrame(
  file: Pick<DataSet, 'byteArray'>,
  element: Element,
  header: DicomHeader,
  frame: number,
): Uint8Array {
  if (element.fragments)
    throw new DataError('damaged DICOM: the pixels are compressed but declared as uncompressed');
  const bits = frameBits(header);
  // One-bit frames follow one another without padding.
  if (bits % 8 !== 0 && frame > 0)
    throw new DataError('DICOM frames that start within a byte are not supported');
  const size = Math.ceil(bits / 8);
  const start = element.dataOffset + frame * size;
  const end = Math.min(element.dataOffset + element.length, file.byteArray.length);
  if (start + size > end) {
    const has = Math.max(0, end - element.dataOffset);
    throw new DataError(`truncated: ${has} bytes of pixels; expected ${header.frames * size}`);
  }
  return file.byteArray.subarray(start, start + size);
}

async function encodedFrame(
  file: DataSet,
  element: Element,
  { frames }: DicomHeader,
  frame: number,
): Promise<Uint8Array> {
  const { default: parser } = await import('dicom-parser');
  const { fragments, basicOffsetTable } = element;
  if (!fragments || fragments.length === 0) throw new DataError('damaged DICOM: no compressed pixels');
  if (frames === 1) return parser.readEncapsulatedPixelDataFromFragments(file, element, 0, fragments.length);
  if (fragments.length === frames)
    return parser.readEncapsulatedPixelDataFromFragments(file, element, frame, 1);
  if (fragments.length < frames) {
    throw new DataError(`damaged DICOM: ${fragments.length} fragments for ${frames} frames`);
  }
  const offsets =
    basicOffsetTable && basicOffsetTable.length === frames
      ? basicOffsetTable
      : parser.createJPEGBasicOffsetTable(file, element);
  if (offsets.length !== frames) throw new DataError('damaged DICOM: the frame boundaries are unknown');
  return parser.readEncapsulatedImageFrame(file, element, frame, offsets);
}

function checkSize(found: DeclaredSize, header: DicomHeader, coding: string): void {
  const { width, height, samples } = found;
  if (width === header.width && height === header.height && samples === header.samples) return;
  throw new DataError(
    `damaged DICOM: its ${coding} is ${width} x ${height} with ${samples} samples; the header says ${header.width} x ${header.height} with ${header.samples}`,
  );
}

/** The samples in as many bytes as the header allocates. */
function widened({ bytes, bits }: DecodedFrame, { bitsAllocated }: DicomHeader): Uint8Array {
  const has = bits > 8 ? 16 : 8;
  if (has === bitsAllocated) return bytes;
  if (has > bitsAllocated || bitsAllocated !== 16) {
    throw new DataError(`damaged DICOM: samples of ${bits} bits; the header allocates ${bitsAllocated}`);
  }
  return new Uint8Array(Uint16Array.from(bytes).buffer);
}

/**
 * A copy of a big-endian file with its pixels swapped to little endian; bytes are
 * swapped too if stored in words.
 */
function littleEndian(file: Uint8Array, element: Element, bits: number): Uint8Array {
  const copy = Buffer.from(file);
  const size = bits === 32 ? 4 : bits === 16 || element.vr === 'OW' ? 2 : 1;
  const end = Math.min(element.dataOffset + element.length, file.length);
  const whole = end - ((end - element.dataOffset) % size);
  const pixels = copy.subarray(element.dataOffset, whole);
  if (size === 4) pixels.swap32();
  else if (size === 2) pixels.swap16();
  return copy;
}
