// Names of element types, memory formats and devices, and libtorch's numbers for them.

export type Dtype =
  | 'uint8'
  | 'int8'
  | 'int16'
  | 'int32'
  | 'int64'
  | 'float16'
  | 'float32'
  | 'float64'
  | 'bool'
  | 'bfloat16';

export type MemoryFormat = 'contiguous' | 'preserve' | 'channelsLast';

export type Device = 'cpu' | 'cuda' | `cuda:${number}`;

/** The array type for a dtype's elements; float16 and bfloat16 are stored as raw bits. */
export type TypedArray =
  | Uint8Array
  | Int8Array
  | Int16Array
  | Uint16Array
  | Int32Array
  | BigInt64Array
  | Float32Array
  | Float64Array;

const codes: Readonly<Record<Dtype, number>> = {
  uint8: 0,
  int8: 1,
  int16: 2,
  int32: 3,
  int64: 4,
  float16: 5,
  float32: 6,
  float64: 7,
  bool: 11,
  bfloat16: 15,
};

const memoryFormats: Readonly<Record<MemoryFormat, number>> = { contiguous: 0, preserve: 1, channelsLast: 2 };

export const dtypes: readonly Dtype[] = Object.keys(codes).filter(isDtype);

const dtypesByCode = new Map(dtypes.map((dtype) => [codes[dtype], dtype]));

export function isDtype(name: unknown): name is Dtype {
  return typeof name === 'string' && Object.hasOwn(codes, name);
}

/** Returns libtorch's number for a dtype, or throws an error that names the caller. */
export function dtypeCode(dtype: Dtype, caller: string): number;
export function dtypeCode(dtype: Dtype | null | undefined, caller: string): number | null | undefined;
export function dtypeCode(dtype: Dtype | null | undefined, caller: string): number | null | undefined {
  if (dtype === null || dtype === undefined) return dtype;
  if (!isDtype(dtype))
    throw new TypeError(`${caller}: unknown dtype ${shown(dtype)}; expected one of ${dtypes.join(', ')}`);
  return codes[dtype];
}

export function dtypeOfCode(code: number): Dtype {
  const dtype = dtypesByCode.get(code);
  if (!dtype) throw new TypeError(`libtorch's element type ${code} is not supported`);
  return dtype;
}

export function memoryFormatCode(format: MemoryFormat, caller: string): number;
export function memoryFormatCode(
  format: MemoryFormat | null | undefined,
  caller: string,
): number | null | undefined;
export function memoryFormatCode(
  format: MemoryFormat | null | undefined,
  caller: string,
): number | null | undefined {
  if (format === null || format === undefined) return format;
  if (typeof format !== 'string' || !Object.hasOwn(memoryFormats, format)) {
    const known = Object.keys(memoryFormats).join(', ');
    throw new TypeError(`${caller}: unknown memory format ${shown(format)}; expected one of ${known}`);
  }
  return memoryFormats[format];
}

/** Allocates a typed array for a dtype. */
export function allocate(dtype: Dtype, length: number): TypedArray {
  switch (dtype) {
    case 'uint8':
    case 'bool':
      return new Uint8Array(length);
    case 'int8':
      return new Int8Array(length);
    case 'int16':
      return new Int16Array(length);
    case 'float16':
    case 'bfloat16':
      return new Uint16Array(length);
    case 'int32':
      return new Int32Array(length);
    case 'int64':
      return new BigInt64Array(length);
    case 'float32':
      return new Float32Array(length);
    case 'float64':
      return new Float64Array(length);
  }
}

/** Returns the dtype that matches an array type; none for a Uint16Array, which may be float16 or bfloat16. */
export function dtypeOf(data: TypedArray): Dtype | undefined {
  if (data instanceof Float32Array) return 'float32';
  if (data instanceof Float64Array) return 'float64';
  if (data instanceof Int32Array) return 'int32';
  if (data instanceof BigInt64Array) return 'int64';
  if (data instanceof Uint8Array) return 'uint8';
  if (data instanceof Int8Array) return 'int8';
  if (data instanceof Int16Array) return 'int16';
  return undefined;
}

export function isFloatingPoint(dtype: Dtype): boolean {
  return dtype === 'float16' || dtype === 'float32' || dtype === 'float64' || dtype === 'bfloat16';
}

function shown(name: unknown): string {
  return typeof name === 'string' ? `'${name}'` : `of type ${typeof name}`;
}
