import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { testFolder } from '../../../files/test/testFolder.js';
import { linesOf } from './wholeLines.js';

const folder = testFolder();

test('pieces end with a line and add up to the file, whatever its lines and the size of a piece', () => {
  const file = join(folder, 'lines.txt');
  fc.assert(
    fc.property(fc.stringMatching(/^[ab\n]{0,40}$/), fc.integer({ min: 1, max: 9 }), (text, bytes) => {
      writeFileSync(file, text);
      const pieces = Array.from(linesOf(file, bytes), String);
      expect(pieces.join('')).toBe(text);
      for (const piece of pieces.slice(0, -1)) expect(piece.endsWith('\n')).toBe(true);
    }),
  );
});
