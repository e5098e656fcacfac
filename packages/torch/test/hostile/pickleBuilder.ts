// Builds pickles opcode by opcode. A program is a list of bytes; these functions return its pieces.

/** Bytes of a pickle, or pieces of them in any nesting. */
export type Program = readonly (number | Program)[];

export const mark = 0x28;
export const emptyTuple = 0x29;
export const emptyList = 0x5d;
export const emptyDict = 0x7d;
export const list = 0x6c;
export const tuple = 0x74;
export const tuple1 = 0x85;
export const tuple2 = 0x86;
export const append = 0x61;
export const appends = 0x65;
export const setItem = 0x73;
export const reduce = 0x52;
export const newObject = 0x81;
export const build = 0x62;
export const persistent = 0x51;
export const duplicate = 0x32;
export const popTop = 0x30;
export const memoize = 0x94;
export const stackGlobal = 0x93;
export const stop = 0x2e;

/**
 * Builds a complete pickle of protocol 2 around a program that leaves one value.
 *
 * @example
 * pickle(int(7)) // 0x80 2 'J' 7 0 0 0 '.'
 */
export function pickle(...program: Program): Uint8Array {
  return bytesOf([0x80, 2, program, stop]);
}

/**
 * Returns the bytes of a program, flattened.
 *
 * @example
 * bytesOf([1, [2, [3]]]) // [1, 2, 3]
 */
export function bytesOf(program: Program): Uint8Array {
  const bytes: number[] = [];
  const add = (piece: number | Program): void => {
    if (typeof piece === 'number') bytes.push(piece);
    else for (const part of piece) add(part);
  };
  add(program);
  return Uint8Array.from(bytes);
}

/** BININT. */
export const int = (value: number): Program => [0x4a, uint32(value >>> 0)];

/** BINUNICODE. */
export const text = (value: string): Program => {
  const bytes = Buffer.from(value);
  return [0x58, uint32(bytes.length), [...bytes]];
};

/** GLOBAL. */
export const global = (module: string, name: string): Program => [
  0x63,
  [...Buffer.from(`${module}\n${name}\n`)],
];

/** BINPUT. */
export const put = (index: number): Program => [0x71, index];

/** BINGET. */
export const get = (index: number): Program => [0x68, index];

/** A tuple of any length. */
export const tupleOf = (...items: Program): Program => [mark, items, tuple];

/** A dictionary with text keys. */
export const dictOf = (entries: Readonly<Record<string, Program>>): Program => [
  emptyDict,
  Object.entries(entries).map(([key, value]): Program => [text(key), value, setItem]),
];

/** A storage of float32 that claims to have `length` elements. */
export const storage = (key: string, length: Program, type = 'FloatStorage'): Program => [
  tupleOf(text('storage'), global('torch', type), text(key), text('cpu'), length),
  persistent,
];

/** A tensor over a storage; each number may be any program. */
export const tensor = (from: Program, offset: Program, size: Program, stride: Program): Program => [
  global('torch._utils', '_rebuild_tensor_v2'),
  tupleOf(from, offset, size, stride, 0x89, [global('collections', 'OrderedDict'), emptyTuple, reduce]),
  reduce,
];

/** Little-endian, four bytes. */
export function uint32(value: number): Program {
  return [value & 255, (value >>> 8) & 255, (value >>> 16) & 255, (value >>> 24) & 255];
}
