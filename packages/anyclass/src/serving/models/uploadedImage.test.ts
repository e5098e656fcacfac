import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { jpegFrame } from '../../data/images/formats/jpegFrame.js';
import { checkUpload } from './uploadedImage.js';

const fixtures = resolve(import.meta.dirname, '../../../test/fixtures/data');
const jpegs = readdirSync(fixtures)
  .filter((name) => /\.jpe?g$/.test(name) && name !== 'misnamed.jpg')
  .map((name) => readFileSync(join(fixtures, name)));

test('an image over the limit, a drawing and an empty file are refused with the right kind of problem', async () => {
  const [jpeg] = jpegs;
  const { width, height } = jpegFrame(jpeg!)!;
  await checkUpload(jpeg!, width * height);
  await expect(checkUpload(jpeg!, width * height - 1)).rejects.toMatchObject({ kind: 'too-large' });
  const drawing = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>');
  await expect(checkUpload(drawing, 1e6)).rejects.toMatchObject({ kind: 'wrong-type' });
  await expect(checkUpload(new Uint8Array(0), 1e6)).rejects.toMatchObject({ kind: 'unreadable' });
  await expect(checkUpload(Buffer.from('text'), 1e6)).rejects.toMatchObject({ kind: 'unreadable' });
});
