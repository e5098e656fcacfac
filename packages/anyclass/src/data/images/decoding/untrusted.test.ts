import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { jpegFrame } from '../formats/jpegFrame.js';
import { checkUntrusted } from './untrusted.js';

const fixtures = resolve(import.meta.dirname, '../../../../test/fixtures/data');
const jpegs = readdirSync(fixtures)
  .filter((name) => /\.jpe?g$/.test(name) && name !== 'misnamed.jpg')
  .map((name) => readFileSync(join(fixtures, name)));

test('an image over the limit, a drawing and an empty file are refused with the right kind of problem', async () => {
  const [jpeg] = jpegs;
  const { width, height } = jpegFrame(jpeg!)!;
  await checkUntrusted(jpeg!, width * height);
  await expect(checkUntrusted(jpeg!, width * height - 1)).rejects.toMatchObject({ name: 'PixelLimitError' });
  const drawing = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>');
  await expect(checkUntrusted(drawing, 1e6)).rejects.toMatchObject({ name: 'ImageFormatError' });
  await expect(checkUntrusted(new Uint8Array(0), 1e6)).rejects.toMatchObject({ name: 'DataError' });
  await expect(checkUntrusted(Buffer.from('text'), 1e6)).rejects.toMatchObject({ name: 'DataError' });
});
