// Reads numbers and text from a pickle, never past its end.

/** A read position in a pickle. Numbers are little-endian unless the name says otherwise. */
export interface PickleCursor {
  uint8(): number;
  uint16(): number;
  int32(): number;
  uint32(): number;
  /** A 64-bit length; a later read checks it against the rest of the pickle. */
  uint64(): number;
  bigEndianFloat64(): number;
  /** A copy of the next bytes. */
  bytes(length: number): Uint8Array;
  /** An integer of any length in two's complement. */
  integer(length: number): number | bigint;
  utf8(length: number): string;
  /** Text up to the next line feed. */
  line(): string;
  error(problem: string): Error;
}

const longestInteger = 1024;
const longestLine = 1024;

/**
 * Creates a cursor at the start of the bytes; `problem` makes an error from a text that names the current byte.
 *
 * @example
 * createCursor(new Uint8Array([1, 2]), (text) => new Error(text)).uint16() // 513
 */
export function createCursor(bytes: Uint8Array, problem: (text: string) => Error): PickleCursor {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  let position = 0;

  const error = (text: string) => problem(`at byte ${position} of the pickle, ${text}`);
  const advance = (length: number) => {
    if (length > bytes.length - position) {
      throw error(`it needs ${length} more bytes but has ${bytes.length - position}`);
    }
    const start = position;
    position += length;
    return start;
  };
  const piece = (length: number) => {
    const start = advance(length);
    return bytes.subarray(start, start + length);
  };
  const decode = (text: Uint8Array) => {
    try {
      return decoder.decode(text);
    } catch {
      throw error('it has text that is not UTF-8');
    }
  };

  return {
    error,
    uint8: () => view.getUint8(advance(1)),
    uint16: () => view.getUint16(advance(2), true),
    int32: () => view.getInt32(advance(4), true),
    uint32: () => view.getUint32(advance(4), true),
    uint64: () => Number(view.getBigUint64(advance(8), true)),
    bigEndianFloat64: () => view.getFloat64(advance(8), false),
    bytes: (length) => piece(length).slice(),
    integer(length) {
      if (length > longestInteger) {
        throw error(`it has an integer of ${length} bytes; at most ${longestInteger} are supported`);
      }
      return twosComplement(piece(length));
    },
    utf8: (length) => decode(piece(length)),
    line() {
      const length = bytes.subarray(position, position + longestLine).indexOf(0x0a);
      if (length < 0) throw error(`it has a name that does not end, or is longer than ${longestLine} bytes`);
      const text = decode(piece(length));
      advance(1);
      return text;
    },
  };
}

function twosComplement(bytes: Uint8Array): number | bigint {
  if (bytes.length === 0) return 0;
  const magnitude = BigInt(`0x${Buffer.from(bytes).reverse().toString('hex')}`);
  const value = BigInt.asIntN(8 * bytes.length, magnitude);
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}
