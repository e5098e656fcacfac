// Opens a DICOM file without trusting it: a few kilobytes may claim millions of elements, or inflate to
// gigabytes.

import { createInflateRaw } from 'node:zlib';
import type { ByteArrayParser, DataSet } from 'dicom-parser';
import { DataError } from '../../../errors/dataError.js';
import { reasonOf } from '../../../errors/reasonOf.js';
import { type DicomHeader, frameBytes, readDicomHeader } from './dicomHeader.js';

/** A DICOM file whose header is read. */
export interface OpenedDicom {
  readonly header: DicomHeader;
  /** The file with all bytes up to the end of a frame, which is counted from 0. */
  withFrame(frame: number): Promise<DataSet>;
}

/** The most elements and fragments of a file; a scan with a thousand frames has some ten thousand. */
const mostElements = 500_000;

/** The most bytes of the file meta information, which is at the start and has about 500. */
const mostMeta = 1 << 16;

/** The most bytes before the pixels of a deflated file. */
const mostDeflatedHeader = 1 << 24;

const implicit = '1.2.840.10008.1.2';
const bigEndian = '1.2.840.10008.1.2.2';
const deflated = '1.2.840.10008.1.2.1.99';
const pixelTag = 'x7fe00010';

/**
 * Opens a DICOM file.
 *
 * @example
 * (await openDicom(await readFile('chest.dcm'))).header.width // 512
 */
export async function openDicom(bytes: Uint8Array): Promise<OpenedDicom> {
  const { syntax, start } = await readMeta(bytes);
  if (syntax !== deflated) {
    const file = await parsed(bytes, start, syntax);
    return { header: readDicomHeader(file), withFrame: async () => file };
  }
  const inflatedTo = async (size: number) =>
    Buffer.concat([bytes.subarray(0, start), await inflatedStart(bytes.subarray(start), size)]);
  const inflated = await inflatedTo(mostDeflatedHeader);
  const file = await parsed(inflated, start, syntax).catch((error: unknown) => {
    if (inflated.length - start < mostDeflatedHeader) throw error;
    throw new DataError(`damaged DICOM: no pixels in its first ${mostDeflatedHeader >> 20} MiB`);
  });
  const header = readDicomHeader(file);
  return {
    header,
    async withFrame(frame) {
      const end = file.elements[pixelTag]!.dataOffset + (frame + 1) * frameBytes(header);
      if (end > file.byteArray.length) file.byteArray = await inflatedTo(end - start);
      return file;
    },
  };
}

/** The transfer syntax, and where the rest of the file starts. */
async function readMeta(bytes: Uint8Array): Promise<{ readonly syntax: string; readonly start: number }> {
  const { default: parser } = await import('dicom-parser');
  return explained(() => {
    const meta = parser.readPart10Header(bytes.subarray(0, mostMeta));
    const syntax = meta.string('x00020010')?.trim();
    if (!syntax) throw new DataError('damaged DICOM: no transfer syntax (0002,0010)');
    const start = 'position' in meta ? Number(meta.position) : bytes.length;
    return { syntax, start };
  });
}

/** Parses everything after the meta information. */
async function parsed(bytes: Uint8Array, start: number, syntax: string): Promise<DataSet> {
  const { default: parser } = await import('dicom-parser');
  return explained(() => {
    const file = parser.readPart10Header(bytes.subarray(0, mostMeta));
    const { bigEndianByteArrayParser, littleEndianByteArrayParser } = parser;
    file.byteArray = bytes;
    file.byteArrayParser = syntax === bigEndian ? bigEndianByteArrayParser : littleEndianByteArrayParser;
    const stream = new parser.ByteStream(counted(file.byteArrayParser), bytes, start);
    // The pixels of a deflated file are the last that was inflated; others may be in fragments, which are
    // elements too.
    const options = syntax === deflated ? { untilTag: pixelTag } : undefined;
    if (syntax === implicit) parser.parseDicomDataSetImplicit(file, stream, bytes.length, options);
    else parser.parseDicomDataSetExplicit(file, stream, bytes.length, options);
    return file;
  });
}

/** A parser that gives up on too many elements; it reads two short numbers for the tag of each. */
function counted(parser: ByteArrayParser): ByteArrayParser {
  let left = 3 * mostElements;
  return {
    ...parser,
    readUint16(bytes, position) {
      left -= 1;
      if (left < 0) throw new DataError(`damaged DICOM: more than ${mostElements} elements`);
      return parser.readUint16(bytes, position);
    },
  };
}

/** The first bytes of deflated data; all of it if it is shorter. Nothing beyond them is inflated. */
function inflatedStart(stored: Uint8Array, size: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    let length = 0;
    const stream = createInflateRaw();
    const finish = () => {
      resolve(Buffer.concat(parts, length).subarray(0, size));
      stream.destroy();
    };
    stream.on('data', (part: Buffer) => {
      parts.push(part);
      length += part.length;
      if (length >= size) finish();
    });
    stream.on('end', finish);
    stream.on('error', (error) => reject(new DataError(`damaged DICOM: ${reasonOf(error)}`)));
    stream.end(stored);
  });
}

function explained<Result>(parse: () => Result): Result {
  try {
    return parse();
  } catch (error) {
    if (error instanceof DataError) throw error;
    if (error instanceof RangeError) throw new DataError('damaged DICOM: nested too deeply');
    // The parser also throws plain objects and strings.
    throw new DataError(`damaged DICOM: ${reasonOf(error).replace(/^dicomParser[.:]\w+: /, '')}`);
  }
}
