import { expect, test } from 'vitest';
import { decodeImage } from './decodeImage.js';

test('a 16-bit PNG is refused, since browsers would drop the lower bits that windowing needs', async () => {
  const header = [0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52];
  const deep = new Blob([Uint8Array.from([...header, 0, 0, 0, 8, 0, 0, 0, 8, 16, 0, 0, 0, 0])]);
  await expect(decodeImage(deep, { width: 8, height: 8, channels: 1 })).rejects.toThrow(/16 bits/);
});
