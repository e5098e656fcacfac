import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { testFolder } from '../../../files/test/testFolder.js';
import { SafetensorsError } from './errors.js';
import { readSafetensors, readSafetensorsHeader, writeSafetensors } from './safetensors.js';
import { elementBytes, type StoredDType, type StoredTensor, storedDTypes } from './storedTensor.js';

const folder = testFolder();
const path = join(folder, 'weights.safetensors');

describe('the published format', () => {
  // A tensor of two floats, laid out by hand according to the format's specification.
  const header = '{"w":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}';
  const bytes = fileOf(header, new Uint8Array(new Float32Array([1.5, -2]).buffer));

  test('a file is a length in 8 little-endian bytes, a JSON header, and data', () => {
    writeFileSync(path, bytes);
    const tensor = readSafetensors(path).tensors.get('w');
    expect(tensor).toEqual({ dtype: 'float32', shape: [2], data: bytes.subarray(8 + header.length) });
    expect(readSafetensorsHeader(path).entries.get('w')).toEqual({
      dtype: 'float32',
      shape: [2],
      byteOffset: 8 + header.length,
      byteLength: 8,
    });
  });

  test('the writer pads the header with spaces to a multiple of 8', () => {
    const data = new Uint8Array(24);
    writeSafetensors(path, [['attn0', { dtype: 'float32', shape: [1, 2, 3], data }]]);
    const expected = '{"attn0":{"dtype":"F32","shape":[1,2,3],"data_offsets":[0,24]}} ';
    expect(readFileSync(path)).toEqual(Buffer.from(fileOf(expected, data)));
  });

  test('the writer puts wide elements first, then sorts by the bytes of the names', () => {
    const scalar = (dtype: StoredDType) => ({ dtype, shape: [], data: new Uint8Array(elementBytes[dtype]) });
    const names = ['b', 'a', '10', '9', '\u{1f600}', '\uff5e'];
    writeSafetensors(path, [
      ...storedDTypes.toReversed().map((dtype) => [dtype, scalar(dtype)] as const),
      ...names.map((name) => [name, scalar('uint8')] as const),
    ]);
    expect([...readSafetensorsHeader(path).entries.keys()]).toEqual([
      ...['int64', 'float64', 'float32', 'int32', 'bfloat16', 'float16', 'int16', 'int8'],
      ...['10', '9', 'a', 'b', 'uint8', '\uff5e', '\u{1f600}', 'bool'],
    ]);
  });

  test('the order in which tensors and metadata are given does not change the bytes', () => {
    const one = { dtype: 'int16', shape: [1], data: new Uint8Array([1, 2]) } as const;
    const two = { dtype: 'int16', shape: [1], data: new Uint8Array([3, 4]) } as const;
    writeSafetensors(
      path,
      [
        ['x', one],
        ['y', two],
      ],
      { a: '1', b: '2' },
    );
    const first = readFileSync(path);
    writeSafetensors(
      path,
      new Map([
        ['y', two],
        ['x', one],
      ]),
      { b: '2', a: '1' },
    );
    expect(readFileSync(path)).toEqual(first);
  });

  test('a file from the reference implementation is read and written back byte for byte', () => {
    const reference = fileURLToPath(
      new URL('../../test/fixtures/checkpoints/reference.safetensors', import.meta.url),
    );
    const { tensors, metadata } = readSafetensors(reference);
    expect(tensors.size).toBe(4 * storedDTypes.length);
    expect(metadata).toEqual({ note: 'quoted "text"\n\u2028' });
    expect(tensors.get('float32.b')).toEqual({
      dtype: 'float32',
      shape: [2, 3],
      data: new Uint8Array(new Float32Array([0, 1, 2, 3, 100, 127]).buffer),
    });
    writeSafetensors(path, [...tensors].reverse(), metadata);
    expect(readFileSync(path)).toEqual(readFileSync(reference));
  });

  test('a file may hold no tensor at all', () => {
    writeSafetensors(path, [], { note: 'empty' });
    expect(readSafetensors(path)).toEqual({ tensors: new Map(), metadata: { note: 'empty' } });
  });
});

test('any tensors and metadata round-trip', () => {
  fc.assert(
    fc.property(storedTensors(), textRecord(), (tensors, metadata) => {
      writeSafetensors(path, tensors, metadata);
      const read = readSafetensors(path);
      expect(new Map([...read.tensors].sort(byName))).toEqual(new Map([...tensors].sort(byName)));
      expect(read.metadata).toEqual(metadata);
      for (const { dtype, byteOffset } of readSafetensorsHeader(path).entries.values()) {
        expect(byteOffset % elementBytes[dtype]).toBe(0);
      }
    }),
  );
});

test('only the selected tensors are read', () => {
  const tensor = { dtype: 'uint8', shape: [2], data: new Uint8Array([7, 8]) } as const;
  writeSafetensors(path, [
    ['a', tensor],
    ['b', tensor],
  ]);
  expect([...readSafetensors(path, { select: (name) => name === 'b' }).tensors.keys()]).toEqual(['b']);
});

test('every tensor has its own buffer', () => {
  const tensor = { dtype: 'float64', shape: [1], data: new Uint8Array(8) } as const;
  writeSafetensors(path, [
    ['a', tensor],
    ['b', tensor],
  ]);
  for (const { data } of readSafetensors(path).tensors.values()) {
    expect([data.byteOffset, data.buffer.byteLength]).toEqual([0, 8]);
  }
});

test('a damaged header gives our error or another valid file, never anything else', () => {
  fc.assert(
    fc.property(
      storedTensors(),
      textRecord(),
      fc.array(fc.tuple(fc.nat(), fc.nat({ max: 255 })), { minLength: 1, maxLength: 4 }),
      (tensors, metadata, damages) => {
        writeSafetensors(path, tensors, metadata);
        const bytes = readFileSync(path);
        const headerEnd = 8 + Number(bytes.readBigUInt64LE(0));
        for (const [position, value] of damages) bytes[position % headerEnd] = value;
        writeFileSync(path, bytes);
        expectValidOrRefused(path);
      },
    ),
    { numRuns: 500 },
  );
});

test('a file truncated at any byte is refused', () => {
  const tensor = { dtype: 'int32', shape: [3], data: new Uint8Array(12) } as const;
  writeSafetensors(path, [['a', tensor]]);
  const bytes = readFileSync(path);
  for (let length = 0; length < bytes.length; length++) {
    writeFileSync(path, bytes.subarray(0, length));
    expect(() => readSafetensors(path), `cut at ${length}`).toThrow(SafetensorsError);
  }
});

describe('is refused, naming the file and the tensor', () => {
  const cases: [string, string, RegExp][] = [
    ['a header that is not JSON', '{"w":', /not valid JSON/],
    ['a header that is a list', '[]', /does not begin with '\{'/],
    ['a header that begins with a space', ' {}', /does not begin with '\{'/],
    ['the same tensor twice', `{"w":${f32([1], [0, 4])},"w":${f32([1], [0, 4])}}`, /"w" appears twice/],
    [
      'the same name in two spellings',
      `{"w":${f32([1], [0, 4])},"\\u0077":${f32([1], [0, 4])}}`,
      /appears twice/,
    ],
    [
      'a field twice',
      '{"w":{"dtype":"F32","dtype":"I32","shape":[1],"data_offsets":[0,4]}}',
      /appears twice/,
    ],
    ['endless brackets', `{"w":${'['.repeat(1e6)}`, /levels of nesting/],
    ['F8', '{"w":{"dtype":"F8_E4M3","shape":[4],"data_offsets":[0,4]}}', /"w" has dtype "F8_E4M3"/],
    ['an unknown dtype', '{"w":{"dtype":7,"shape":[4],"data_offsets":[0,4]}}', /"w" has dtype 7/],
    [
      'a dtype with a trap',
      '{"w":{"dtype":{"toString":1},"shape":[4],"data_offsets":[0,4]}}',
      /"w" has dtype \{/,
    ],
    ['a negative size', `{"w":${f32([-1], [0, 4])}}`, /"w" has shape \[-1\]/],
    ['half a size', `{"w":${f32([0.5], [0, 2])}}`, /"w" has shape \[0.5\]/],
    ['a shape that is not a list', '{"w":{"dtype":"F32","shape":1,"data_offsets":[0,4]}}', /"w" has shape 1/],
    ['no shape', '{"w":{"dtype":"F32","data_offsets":[0,4]}}', /"w" has shape missing/],
    ['an overflowing shape', `{"w":${f32([2 ** 40, 2 ** 40], [0, 4])}}`, /"w" has shape .* more elements/],
    ['reversed offsets', `{"w":${f32([1], [4, 0])}}`, /"w" has data_offsets \[4,0\]/],
    ['one offset', `{"w":${f32([1], [0])}}`, /"w" has data_offsets \[0\]/],
    ['offsets beyond the file', `{"w":${f32([2], [0, 8])}}`, /"w" ends at byte 8 of 4/],
    ['a length that does not match the shape', `{"w":${f32([2], [0, 4])}}`, /"w" has 4 bytes .* takes 8/],
    ['an overlap', `{"v":${f32([1], [0, 4])},"w":${f32([1], [2, 6])}}`, /"w" at \[2,6\] overlaps tensor "v"/],
    ['a hole', `{"v":${f32([0], [0, 0])},"w":${f32([0], [4, 4])}}`, /"w" at \[4,4\] leaves a hole/],
    ['data that belongs to no tensor', '{}', /4 bytes after the header that belong to no tensor/],
    ['a description that is a list', '{"w":[]}', /"w" is not described by a JSON object/],
    ['a name with half a surrogate pair', `{"\\ud800":${f32([1], [0, 4])}}`, /not valid Unicode/],
    ['metadata of numbers', `{"__metadata__":{"epoch":3},"w":${f32([1], [0, 4])}}`, /"epoch" of type number/],
    [
      'metadata that is text',
      `{"__metadata__":"x","w":${f32([1], [0, 4])}}`,
      /__metadata__ that is not a JSON/,
    ],
  ];
  test.each(cases)('%s', (_, header, message) => {
    writeFileSync(path, fileOf(header, new Uint8Array(4)));
    expect(() => readSafetensors(path)).toThrow(SafetensorsError);
    expect(() => readSafetensors(path)).toThrow(message);
    expect(() => readSafetensorsHeader(path)).toThrow(path);
  });

  test.each([
    ['a header length over 100 MB', 100_000_001n, /over the limit of 100000000/],
    ['a header length of 2^64 - 1', 2n ** 64n - 1n, /over the limit/],
    ['a header length beyond the file', 50n, /claims a header of 50 bytes but has 2/],
  ])('%s', (_, length, message) => {
    const bytes = Buffer.from('________{}');
    bytes.writeBigUInt64LE(length);
    writeFileSync(path, bytes);
    expect(() => readSafetensors(path)).toThrow(message);
  });

  test('a named pipe, without waiting for it', () => {
    const pipe = join(folder, 'pipe.safetensors');
    execFileSync('mkfifo', [pipe]);
    expect(() => readSafetensors(pipe)).toThrow(/not a regular file/);
  });
  test('a folder', () => expect(() => readSafetensors(folder)).toThrow(/not a regular file/));
});

function f32(shape: number[], offsets: number[]): string {
  return JSON.stringify({ dtype: 'F32', shape, data_offsets: offsets });
}

function fileOf(header: string, data: Uint8Array): Uint8Array {
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(Buffer.byteLength(header)));
  return new Uint8Array(Buffer.concat([length, Buffer.from(header), data]));
}

/** What is accepted must be valid: written again, it gives the same tensors. */
function expectValidOrRefused(damaged: string): void {
  let read: ReturnType<typeof readSafetensors>;
  try {
    read = readSafetensors(damaged);
  } catch (error) {
    expect(error).toBeInstanceOf(SafetensorsError);
    return;
  }
  const again = join(folder, 'again.safetensors');
  writeSafetensors(again, read.tensors, read.metadata);
  const { tensors, metadata } = readSafetensors(again);
  expect([...tensors].sort(byName)).toEqual([...read.tensors].sort(byName));
  expect(metadata).toEqual(read.metadata);
  expect(readdirSync(folder).filter((name) => name.startsWith('.partial'))).toEqual([]);
}

function byName([a]: [string, unknown], [b]: [string, unknown]): number {
  return a < b ? -1 : 1;
}

function storedTensors(): fc.Arbitrary<Map<string, StoredTensor>> {
  const dtype = fc.constantFrom(...storedDTypes);
  const shape = fc.array(fc.nat({ max: 4 }), { maxLength: 4 });
  const tensor = fc.tuple(dtype, shape).chain(([dtype, shape]) => {
    const byteLength = shape.reduce((product, size) => product * size, elementBytes[dtype]);
    return fc
      .uint8Array({ minLength: byteLength, maxLength: byteLength })
      .map((data) => ({ dtype, shape, data }));
  });
  const name = fc.string({ unit: 'binary' }).filter((text) => text !== '__metadata__');
  return fc.array(fc.tuple(name, tensor), { maxLength: 6 }).map((entries) => new Map(entries));
}

function textRecord(): fc.Arbitrary<Record<string, string>> {
  return fc.dictionary(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), {
    maxKeys: 3,
    noNullPrototype: true,
  });
}
