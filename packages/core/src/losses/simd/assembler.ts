// A WebAssembly assembler for the few instructions that a loss kernel needs. The kernel can thus be written as formulas
// in TypeScript, without a compiler or a binary file. Instruction codes: WebAssembly Core Specification 2.0, section 5.4.
// An expression is its own code in postfix order: operands first, then the instruction.

/** Instructions, nested as they were written. */
export type Code = readonly (number | Code)[];

export type ValueType = 'i32' | 'f32' | 'v128';

/** A parameter or local variable; as an expression, its value. */
export type Local = readonly [get: 0x20, index: number];

const VALUE_TYPES = { i32: 0x7f, f32: 0x7d, v128: 0x7b } as const;
const NO_RESULT = 0x40;
const SIMD = 0xfd;

const instruction =
  (...code: number[]) =>
  (...operands: Code[]): Code => [...operands, code];
const simd = (code: number) => instruction(SIMD, ...unsigned(code));

export const i32 = {
  constant: (value: number): Code => [0x41, ...signed(value)],
  add: instruction(0x6a),
  multiply: instruction(0x6c),
  lessThan: instruction(0x48),
  greaterThan: instruction(0x4a),
  or: instruction(0x72),
} as const;

export const f32 = {
  constant: (value: number): Code => [0x43, ...floatBytes(value)],
  load: (address: Code, offset: number): Code => [address, 0x2a, 2, ...unsigned(offset)],
  store: (address: Code, offset: number, value: Code): Code => [address, value, 0x38, 2, ...unsigned(offset)],
  add: instruction(0x92),
  subtract: instruction(0x93),
  multiply: instruction(0x94),
  divide: instruction(0x95),
  maximum: instruction(0x97),
  equal: instruction(0x5b),
  greaterThan: instruction(0x5e),
  greaterOrEqual: instruction(0x60),
  fromInteger: instruction(0xb2),
} as const;

/** Operations on four lanes. Comparisons give lanes of all ones or all zeros. */
export const vector = {
  /** A constant in all lanes. */
  all: (value: number): Code => [SIMD, 0x0c, ...[value, value, value, value].flatMap(floatBytes)],
  /** The integers 0, 1, 2, 3. */
  laneNumbers: (): Code => [SIMD, 0x0c, ...[0, 1, 2, 3].flatMap((lane) => [lane, 0, 0, 0])],
  splat: simd(0x13),
  splatInteger: simd(0x11),
  load: (address: Code): Code => [address, SIMD, 0x00, 2, 0],
  store: (address: Code, value: Code): Code => [address, value, SIMD, 0x0b, 2, 0],
  lane: (value: Code, lane: number): Code => [value, SIMD, 0x1f, lane],
  equal: simd(0x41),
  lessThan: simd(0x43),
  greaterThan: simd(0x44),
  greaterOrEqual: simd(0x46),
  integerLessThan: simd(0x39),
  and: simd(0x4e),
  or: simd(0x50),
  /** Takes lanes from the first where the third is all ones, and from the second elsewhere. */
  choose: simd(0x52),
  anyTrue: simd(0x53),
  absolute: simd(0xe0),
  negate: simd(0xe1),
  add: simd(0xe4),
  subtract: simd(0xe5),
  multiply: simd(0xe6),
  divide: simd(0xe7),
  /** b < a ? b : a, and a < b ? b : a; one machine instruction each, unlike the forms that handle NaN and signed zeros. */
  minimum: simd(0xea),
  maximum: simd(0xeb),
  shiftLeft: (value: Code, bits: number): Code => [value, i32.constant(bits), SIMD, ...unsigned(0xab)],
  /** Fills with zeros. */
  shiftRight: (value: Code, bits: number): Code => [value, i32.constant(bits), SIMD, ...unsigned(0xad)],
  subtractInteger: simd(0xb1),
  /** Converts signed integers to floats. */
  convertInteger: simd(0xfa),
} as const;

export const set = (local: Local, value: Code): Code => [value, 0x21, local[1]];

/** The first if the condition is not 0, otherwise the second. */
export const select = (first: Code, second: Code, condition: Code): Code => [first, second, condition, 0x1b];

/** Repeats the body while the condition, tested first, is not 0. */
export const whileTrue = (condition: Code, body: Code): Code => [
  ...[0x02, NO_RESULT, 0x03, NO_RESULT],
  ...[condition, 0x45, 0x0d, 1],
  ...[body, 0x0c, 0],
  ...[0x0b, 0x0b],
];

/** A function being written: parameters are declared first, then locals, which start as 0. */
export interface FunctionBuilder {
  parameter(type: ValueType): Local;
  local(type: ValueType): Local;
}

/** An exported function. */
export interface WasmFunction {
  readonly name: string;
  readonly result: ValueType | null;
  readonly write: (builder: FunctionBuilder) => Code;
}

/** Returns the bytes of a module that exports the given functions and its memory as 'memory', initially one page. */
export function assembleModule(functions: readonly WasmFunction[]): Uint8Array<ArrayBuffer> {
  const written = functions.map(writeFunction);
  const exports = functions.map(({ name }, index) => [...text(name), 0, index]);
  return Uint8Array.from([
    ...[0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, list(written.map(({ type }) => type))),
    ...section(3, list(functions.map((_, index) => [index]))),
    ...section(5, list([[0, 1]])),
    ...section(7, list([[...text('memory'), 2, 0], ...exports])),
    ...section(10, list(written.map(({ body }) => [...unsigned(body.length), ...body]))),
  ]);
}

function writeFunction({ result, write }: WasmFunction): { type: number[]; body: number[] } {
  const parameters: number[][] = [];
  const locals: number[][] = [];
  const code = write({
    parameter: (type) => [0x20, parameters.push([VALUE_TYPES[type]]) - 1],
    local: (type) => [0x20, parameters.length + locals.push([1, VALUE_TYPES[type]]) - 1],
  });
  return {
    type: [0x60, ...list(parameters), ...list(result === null ? [] : [[VALUE_TYPES[result]]])],
    body: [...list(locals), ...flat(code), 0x0b],
  };
}

function flat(code: Code): number[] {
  return code.flatMap((part) => (typeof part === 'number' ? [part] : flat(part)));
}

function section(id: number, content: readonly number[]): number[] {
  return [id, ...unsigned(content.length), ...content];
}

function list(items: readonly (readonly number[])[]): number[] {
  return [...unsigned(items.length), ...items.flat()];
}

function text(name: string): number[] {
  return list(Array.from(name, (letter) => [letter.charCodeAt(0)]));
}

function floatBytes(value: number): number[] {
  return [...new Uint8Array(Float32Array.of(value).buffer)];
}

// LEB128.
function unsigned(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...unsigned(value >>> 7)];
}

function signed(value: number): number[] {
  const low = value & 0x7f;
  const rest = value >> 7;
  const isLast = (rest === 0 && low < 0x40) || (rest === -1 && low >= 0x40);
  return isLast ? [low] : [low | 0x80, ...signed(rest)];
}
