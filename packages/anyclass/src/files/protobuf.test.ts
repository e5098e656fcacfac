import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  double,
  encoded,
  float,
  integer,
  joined,
  lazyBytes,
  message,
  type Part,
  packed,
  text,
} from './protobuf.js';

const bytesOf = (part: Part) => [...encoded(part)];

test('the examples of the encoding guide are reproduced', () => {
  expect(bytesOf(integer(1, 150))).toEqual([0x08, 0x96, 0x01]);
  expect(bytesOf(text(2, 'testing'))).toEqual([0x12, 0x07, ...Buffer.from('testing')]);
  expect(bytesOf(message(3, [integer(1, 150)]))).toEqual([0x1a, 0x03, 0x08, 0x96, 0x01]);
  expect(bytesOf(packed(6, [3, 270, 86942]))).toEqual([0x32, 0x06, 0x03, 0x8e, 0x02, 0x9e, 0xa7, 0x05]);
  expect(bytesOf(integer(1, -2))).toEqual([0x08, 0xfe, ...Array.from({ length: 8 }, () => 0xff), 0x01]);
  expect(bytesOf(float(2, 1))).toEqual([0x15, 0, 0, 0x80, 0x3f]);
  expect(bytesOf(double(2, 1))).toEqual([0x11, 0, 0, 0, 0, 0, 0, 0xf0, 0x3f]);
});

test('a part is as long as it says', () => {
  const leaf = fc.oneof(
    fc
      .tuple(fc.integer({ min: 1, max: 3000 }), fc.maxSafeInteger())
      .map(([field, value]) => integer(field, value)),
    fc.tuple(fc.integer({ min: 1, max: 3000 }), fc.string()).map(([field, value]) => text(field, value)),
    fc.uint8Array({ maxLength: 300 }).map((bytes) => lazyBytes(9, bytes.length, () => bytes)),
  );
  const { tree } = fc.letrec<{ tree: Part }>((tie) => ({
    tree: fc.oneof(
      { maxDepth: 4 },
      leaf,
      fc.array(tie('tree')).map((parts) => message(7, parts)),
      fc.array(tie('tree')).map((parts) => joined(parts)),
    ),
  }));
  fc.assert(fc.property(tree, (part) => bytesOf(part).length === part.length));
});

test('bytes with a length other than announced are rejected', () => {
  expect(() => bytesOf(lazyBytes(9, 3, () => new Uint8Array(2)))).toThrow('2 bytes, not 3');
});
