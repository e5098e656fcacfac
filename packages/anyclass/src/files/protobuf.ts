// Writes the wire format of Protocol Buffers, as far as ONNX and TensorBoard need it: a message is a sequence of fields,
// each a tag and a value. A part knows its length before its bytes exist, so that weights are read one at a
// time as they are written.
// https://protobuf.dev/programming-guides/encoding

export interface Part {
  readonly length: number;
  writeTo(write: (bytes: Uint8Array) => void): void;
}

const VARINT = 0;
const FIXED_64 = 1;
const LENGTH_DELIMITED = 2;
const FIXED_32 = 5;

/** An int32, int64 or enum. */
export function integer(field: number, value: number): Part {
  return bytesPart([...tag(field, VARINT), ...varint(value)]);
}

export function float(field: number, value: number): Part {
  return bytesPart([...tag(field, FIXED_32), ...new Uint8Array(Float32Array.of(value).buffer)]);
}

export function double(field: number, value: number): Part {
  return bytesPart([...tag(field, FIXED_64), ...new Uint8Array(Float64Array.of(value).buffer)]);
}

export function text(field: number, value: string): Part {
  return bytes(field, Buffer.from(value));
}

export function bytes(field: number, value: Uint8Array): Part {
  return delimited(field, bytesPart(value));
}

/** A nested message. */
export function message(field: number, parts: readonly Part[]): Part {
  return delimited(field, joined(parts));
}

/** Repeated integers that share one tag. */
export function packed(field: number, values: readonly number[]): Part {
  return delimited(field, bytesPart(values.flatMap(varint)));
}

/** Bytes that are read only when they are written. */
export function lazyBytes(field: number, length: number, read: () => Uint8Array): Part {
  return delimited(field, {
    length,
    writeTo(write) {
      const given = read();
      if (given.length !== length) throw new Error(`field ${field} has ${given.length} bytes, not ${length}`);
      write(given);
    },
  });
}

/**
 * Concatenates parts, for example into a whole message.
 *
 * @example
 * joined([integer(1, 150), text(2, 'testing')]).length // 12
 */
export function joined(parts: readonly Part[]): Part {
  return {
    length: parts.reduce((sum, { length }) => sum + length, 0),
    writeTo(write) {
      for (const part of parts) part.writeTo(write);
    },
  };
}

/**
 * Returns a part's bytes.
 *
 * @example
 * encoded(integer(1, 150)) // <Buffer 08 96 01>
 */
export function encoded(part: Part): Buffer {
  const pieces: Uint8Array[] = [];
  part.writeTo((piece) => pieces.push(piece));
  return Buffer.concat(pieces);
}

function delimited(field: number, content: Part): Part {
  return joined([bytesPart([...tag(field, LENGTH_DELIMITED), ...varint(content.length)]), content]);
}

function bytesPart(given: Uint8Array | readonly number[]): Part {
  const array = given instanceof Uint8Array ? given : Uint8Array.from(given);
  return { length: array.length, writeTo: (write) => write(array) };
}

function tag(field: number, type: number): number[] {
  return varint(field * 8 + type);
}

/** Seven bits per byte, least significant first; negative numbers as 64 bits in two's complement. */
function varint(value: number): number[] {
  const digits: number[] = [];
  let rest = BigInt.asUintN(64, BigInt(value));
  while (rest > 127n) {
    digits.push(Number(rest & 127n) | 128);
    rest >>= 7n;
  }
  digits.push(Number(rest));
  return digits;
}
