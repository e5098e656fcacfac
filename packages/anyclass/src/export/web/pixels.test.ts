// Compares how a page in Chromium decodes an image with how Node does.

import { resolve } from 'node:path';
import type { decodeImage as decodeInPage } from '@anyclass/browser';
import type { Browser, Page } from 'playwright-core';
import sharp, { type Sharp } from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chromiumNeed, chromiumPath, launchChromium } from '../../../test/pages/browser.js';
import { type StaticHost, serveFolder } from '../../../test/pages/staticHost.js';
import type { PixelFormat } from '../../data/dataset/reading/pixelFormat.js';
import { decodeImage } from '../../data/images/decoding/decode.js';
import { jpegDecoder } from '../../data/images/decoding/jpeg.js';

declare global {
  interface Window {
    decodeImage: typeof decodeInPage;
  }
}

const isPossible = chromiumPath !== undefined && jpegDecoder() === 'libjpeg-turbo';

describe.skipIf(!isPossible)(`pixels (need libjpeg-turbo)${chromiumNeed}`, () => {
  let browser: Browser;
  let host: StaticHost;
  let page: Page;
  beforeAll(async () => {
    browser = await launchChromium();
    host = await serveFolder(resolve(import.meta.dirname, '../../../../browser/dist'));
    page = await browser.newPage();
    // Any page of the host will do; scripts can then be imported from the host.
    await page.goto(`${host.address}images/decodeImage.js`);
    const content = "import { decodeImage } from '/images/decodeImage.js'; window.decodeImage = decodeImage;";
    await page.addScriptTag({ type: 'module', content });
    await page.waitForFunction(() => 'decodeImage' in window);
  }, 60_000);
  afterAll(async () => {
    await browser?.close();
    await host?.close();
  });

  const files: Readonly<Record<string, (picture: Sharp) => Sharp>> = {
    PNG: (picture) => picture.png(),
    WebP: (picture) => picture.webp({ quality: 90 }),
    JPEG: (picture) => picture.jpeg({ quality: 85 }),
    'JPEG with full colors': (picture) => picture.jpeg({ quality: 92, chromaSubsampling: '4:4:4' }),
    'JPEG rotated by its EXIF orientation': (picture) => picture.jpeg().withMetadata({ orientation: 6 }),
    'gray JPEG': (picture) => picture.grayscale().jpeg({ quality: 85 }),
  };
  const sizes = [
    [150, 190],
    [320, 256],
    [1472, 1088],
  ] as const;
  const cases = sizes.flatMap(([width, height]) => {
    const picture = texture(width, height);
    return Object.keys(files).map((kind) => ({ kind, width, height, picture }));
  });

  test.each(cases)(
    '99.9% of the pixels of a $width x $height $kind are within one level of those in Node, in color and in gray',
    async ({ kind, picture }) => {
      const bytes = await files[kind]!(picture.clone()).toBuffer();
      for (const channels of [3, 1] as const) {
        const format = { width: 224, height: 224, channels };
        const [here, there] = [
          await decodeImage({ kind: 'encoded', bytes }, format),
          await inPage(bytes, format),
        ];
        expect(shareAlike(here, there)).toBeGreaterThanOrEqual(0.999);
      }
    },
  );

  async function inPage(bytes: Buffer, format: PixelFormat): Promise<Uint8Array> {
    // As text, because a list of numbers takes long to transfer.
    const pixels = await page.evaluate(
      async ([text, wanted]) => {
        const file = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
        const decoded = await window.decodeImage(new Blob([file]), wanted);
        return btoa(Array.from(decoded, (level) => String.fromCharCode(level)).join(''));
      },
      [bytes.toString('base64'), format] as const,
    );
    return Buffer.from(pixels, 'base64');
  }
});

/** Creates an image like a photograph of gravel: dark and bright, edges everywhere, and grain. */
function texture(width: number, height: number): Sharp {
  const pixels = new Uint8Array(width * height * 3);
  let at = 0;
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const stone = hash(Math.floor(x / 9) * 7919 + Math.floor((y + 3 * Math.floor(x / 9)) / 11));
      for (let c = 0; c < 3; c++) {
        const value = ((stone >> (8 * c)) & 255) * 0.8 + (hash(at) & 63) - 12;
        pixels[at++] = Math.max(0, Math.min(255, value));
      }
    }
  }
  return sharp(pixels, { raw: { width, height, channels: 3 } });
}

function hash(value: number): number {
  let mixed = Math.imul(value ^ (value >>> 15), 0x2c1b3c6d);
  mixed = Math.imul(mixed ^ (mixed >>> 12), 0x297a2d39);
  return mixed ^ (mixed >>> 15);
}

function shareAlike(one: Uint8Array, other: Uint8Array): number {
  expect(other.length).toBe(one.length);
  const alike = one.reduce((count, value, i) => count + (Math.abs(value - other[i]!) <= 1 ? 1 : 0), 0);
  return alike / one.length;
}
