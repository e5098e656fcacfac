import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import fc from 'fast-check';
import sharp from 'sharp';
import { describe, expect, test, vi } from 'vitest';
import { animation, png16 } from '../../../../../test/deepImages.js';
import { dicomFile } from '../../../../../test/dicomFile.js';
import { PixelLimitError } from '../../../dataset/reading/pixelLimit.js';
import { decodeWithSharp } from '../decode.js';
import { surveyImage } from '../surveyImage.js';
import { ImageFormatError } from '../untrusted.js';
import { createDecodePool } from './decodePool.js';
import { frameHeader, frameReader } from './frames.js';

const fixtures = resolve(import.meta.dirname, '../../../../../test/fixtures/data');
const format = { width: 20, height: 12, channels: 3 } as const;
const bytesOf = (name: string) => readFileSync(join(fixtures, name));
const childList = `/proc/${process.pid}/task/${process.pid}/children`;
const children = () => readFileSync(childList, 'utf8').split(' ').filter(Boolean).map(Number);

test('messages are reassembled from chunks of any size', () => {
  const messages = fc.array(fc.tuple(fc.nat(9), fc.uint8Array({ maxLength: 50 })));
  fc.assert(
    fc.property(messages, fc.integer({ min: 1, max: 40 }), (sent, size) => {
      const stream = Buffer.concat(
        sent.flatMap(([kind, payload]) => [frameHeader(kind, payload.length), payload]),
      );
      const received: [number, Uint8Array][] = [];
      const read = frameReader((kind, payload) => received.push([kind, Uint8Array.from(payload)]));
      for (let at = 0; at < stream.length; at += size) read(stream.subarray(at, at + size));
      expect(received).toEqual(sent);
    }),
  );
});

describe('decoding in processes', () => {
  test('gives the same pixels and reasons as decoding in this process', async () => {
    const pool = createDecodePool(format, 2);
    const names = readdirSync(fixtures).filter((name) => /\.(png|jpg|webp|tif|gif)$/.test(name));
    const there = await Promise.all(names.map((name) => pool.decode(bytesOf(name))));
    for (const [i, name] of names.entries()) {
      const here = await decodeWithSharp({ kind: 'encoded', bytes: bytesOf(name) }, format);
      expect(Buffer.from(there[i]!).equals(here)).toBe(true);
    }
    await expect(pool.decode(bytesOf('rgb.png').subarray(0, 50))).rejects.toThrow('libpng read error');
    await expect(pool.decode(new Uint8Array(0))).rejects.toThrow('the image file is empty');
    await pool.close();
  });

  test('surveys images as this process does, and names what is wrong with one', async () => {
    const reading = { ...format, window: [0, 1000] } as const;
    const pool = createDecodePool(reading, 1);
    const pixels = Buffer.from(Uint16Array.of(0, 500, 2000, 4000).buffer);
    const files = [
      dicomFile({ width: 2, height: 2, pixels }),
      png16([100, 3100], 2, 1),
      await animation([10, 200], 'gif'),
    ];
    for (const bytes of files)
      expect(await pool.survey(bytes)).toEqual(await surveyImage({ kind: 'encoded', bytes }, reading));
    expect((await pool.survey(files[0]!)).levels).toMatchObject({ range: [0, 4000], outside: 0.5 });
    expect((await pool.survey(files[2]!)).frames).toBe(2);
    await expect(pool.survey(files[0]!.subarray(0, 200))).rejects.toThrow('DICOM');
    await pool.close();
    // Nothing is surveyed in this process.
    for (const bytes of files) await expect(pool.survey(bytes)).rejects.toThrow('closed');
  });

  test.skipIf(!existsSync(childList))(
    'an image on which two decoders died is given up, others are not, and closing leaves no process (needs /proc)',
    async () => {
      const pool = createDecodePool(format, 1);
      const before = children();
      await pool.decode(bytesOf('rgb.png'));
      const started = () => children().filter((pid) => !before.includes(pid))[0];
      process.kill(started()!, 'SIGSTOP');
      const first = pool.decode(bytesOf('rgb.png'));
      const second = pool.decode(bytesOf('gray.png'));
      await setTimeout(20);
      process.kill(started()!, 'SIGKILL');
      expect((await first).length).toBe(20 * 12 * 3);
      expect((await second)[0]).toBe(88);
      process.kill(started()!, 'SIGSTOP');
      const third = pool.decode(bytesOf('rgb.png')).catch((error: Error) => error.message);
      const fourth = pool.decode(bytesOf('gray.png'));
      for (let deaths = 0; deaths < 2; deaths++) {
        await setTimeout(20);
        const decoder = await vi.waitFor(() => started() ?? expect.unreachable(), 30_000);
        process.kill(decoder, 'SIGKILL');
        await expect.poll(started).not.toBe(decoder);
      }
      expect(await third).toContain('the decoder crashed (SIGKILL) on this image');
      expect((await fourth)[0]).toBe(88);
      await pool.close();
      expect(children().filter((pid) => !before.includes(pid))).toEqual([]);
      await expect(pool.decode(bytesOf('rgb.png'))).rejects.toThrow('closed');
    },
  );

  test.skipIf(!existsSync(childList))(
    'an image that takes too long is given up, and the next ones are decoded (needs /proc)',
    async () => {
      const pool = createDecodePool(format, 1, { seconds: 4 });
      const before = children();
      await pool.decode(bytesOf('rgb.png'));
      process.kill(children().filter((pid) => !before.includes(pid))[0]!, 'SIGSTOP');
      const first = pool.decode(bytesOf('rgb.png')).catch((error: Error) => error.message);
      const second = pool.decode(bytesOf('gray.png'));
      expect(await first).toBe('not decoded within 4 s');
      expect((await second)[0]).toBe(88);
      await pool.close();
    },
  );

  test('images of strangers are checked in the process, and errors keep their kind', async () => {
    const pool = createDecodePool(format, 1, { mostPixels: 4000 });
    const small = await sharp({ create: { width: 60, height: 60, channels: 3, background: '#123' } })
      .png()
      .toBuffer();
    const large = await sharp({ create: { width: 70, height: 60, channels: 3, background: '#123' } })
      .webp()
      .toBuffer();
    expect((await pool.decode(small)).length).toBe(20 * 12 * 3);
    await expect(pool.decode(large)).rejects.toThrow(PixelLimitError);
    await expect(
      pool.decode(Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>')),
    ).rejects.toThrow(ImageFormatError);
    await expect(pool.decode(Buffer.from('text'))).rejects.toMatchObject({ name: 'DataError' });
    await pool.close();
  });
});
