// Small files that stand for much: images of every format that serve takes, and some that it does not.

import { crc32, deflateRawSync, deflateSync } from 'node:zlib';
import sharp from 'sharp';

/**
 * Image files that are large, deep, long or broken when they are opened; each is at most a few hundred kilobytes.
 *
 * @returns {Promise<Map<string, Buffer>>}
 */
export async function bombs() {
  const black = (/** @type {number} */ width, /** @type {number} */ height) =>
    sharp({ create: { width, height, channels: 3, background: '#000' }, limitInputPixels: false });
  const png = await black(4, 4).png().toBuffer();
  const jpeg = await black(16, 16).jpeg().toBuffer();
  return new Map([
    ['a PNG of 60 megapixels', await black(10_000, 6000).png({ compressionLevel: 9 }).toBuffer()],
    ['an interlaced PNG of 49 megapixels', await black(7000, 7000).png({ progressive: true }).toBuffer()],
    ['a PNG that claims 3.6 gigapixels', claimedPng(60_000, 60_000)],
    ['a PNG with a text of 200 MB', withChunk(png, 'zTXt', deflatedText('Comment\0\0', 2e8))],
    ['a PNG with a color profile of 200 MB', withChunk(png, 'iCCP', deflatedText('profile\0\0', 2e8))],
    ['a PNG with 50,000 chunks', withChunks(png, 50_000)],
    ['a JPEG that claims 4.3 gigapixels', claimedJpeg(jpeg, 65_500, 65_500)],
    ['a progressive JPEG of 60 megapixels', await black(10_000, 6000).jpeg({ progressive: true }).toBuffer()],
    ['a JPEG of 70,000 empty segments', padded(jpeg, Buffer.from('ffe20002'.repeat(70_000), 'hex'))],
    ['a JPEG of fill bytes', Buffer.concat([Buffer.from([255, 216]), Buffer.alloc(300_000, 255)])],
    ['a WebP of 64 megapixels', await black(8000, 8000).webp({ lossless: true }).toBuffer()],
    ['a GIF that claims 4.3 gigapixels', claimedGif(65_535, 65_535)],
    ['a TIFF of 60 megapixels', await black(10_000, 6000).tiff({ compression: 'deflate' }).toBuffer()],
    ['a BMP that claims 4 gigapixels', claimedBmp(64_000, 64_000)],
    ['a deflated DICOM of 300 MB', deflatedDicom(element(9, 1, 'OB', Buffer.alloc(3e8)))],
    ['a deflated DICOM of two million elements', deflatedDicom(Buffer.alloc(16e6, element(9, 1, 'CS', '')))],
    ['a DICOM of nested sequences', dicom('1.2.840.10008.1.2.1', Buffer.alloc(2e5, openSequence()))],
    ['a drawing', Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg">${'<g>'.repeat(5000)}`)],
    ['an empty file', Buffer.alloc(0)],
  ]);
}

/** @param {string} before @param {number} length */
function deflatedText(before, length) {
  return Buffer.concat([Buffer.from(before, 'latin1'), deflateSync(Buffer.alloc(length, 65))]);
}

/** @param {string} type @param {Buffer} data */
function chunk(type, data) {
  const body = Buffer.concat([Buffer.from(type), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}

/** The chunk goes after the header, which takes 33 bytes. @param {Buffer} png @param {string} type @param {Buffer} data */
function withChunk(png, type, data) {
  return Buffer.concat([png.subarray(0, 33), chunk(type, data), png.subarray(33)]);
}

/** @param {Buffer} png @param {number} count */
function withChunks(png, count) {
  const one = chunk('teXt', Buffer.alloc(0));
  return Buffer.concat([png.subarray(0, 33), Buffer.alloc(count * one.length, one), png.subarray(33)]);
}

/** @param {number} width @param {number} height */
function claimedPng(width, height) {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2, 0, 0, 0], 8);
  const start = Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]);
  const pixels = chunk('IDAT', deflateSync(Buffer.alloc(1e6)));
  return Buffer.concat([start, chunk('IHDR', header), pixels, chunk('IEND', Buffer.alloc(0))]);
}

/** @param {Buffer} jpeg @param {Buffer} segments */
function padded(jpeg, segments) {
  return Buffer.concat([jpeg.subarray(0, 2), segments, jpeg.subarray(2)]);
}

/** @param {Buffer} jpeg @param {number} width @param {number} height */
function claimedJpeg(jpeg, width, height) {
  const copy = Buffer.from(jpeg);
  const frame = copy.indexOf(Buffer.from([255, 192]));
  copy.writeUInt16BE(height, frame + 5);
  copy.writeUInt16BE(width, frame + 7);
  return copy;
}

/** @param {number} width @param {number} height */
function claimedGif(width, height) {
  const header = Buffer.concat([Buffer.from('GIF89a'), Buffer.alloc(7)]);
  header.writeUInt16LE(width, 6);
  header.writeUInt16LE(height, 8);
  return Buffer.concat([header, Buffer.from([44, 0, 0, 0, 0, 255, 255, 255, 255, 0, 2, 1, 0, 0, 59])]);
}

/** @param {number} width @param {number} height */
function claimedBmp(width, height) {
  const bytes = Buffer.alloc(100);
  bytes.write('BM');
  bytes.writeUInt32LE(54, 10);
  bytes.writeUInt32LE(40, 14);
  bytes.writeInt32LE(width, 18);
  bytes.writeInt32LE(height, 22);
  bytes.writeUInt16LE(1, 26);
  bytes.writeUInt16LE(24, 28);
  return bytes;
}

/** @param {number} group @param {number} number @param {string} type @param {Buffer | string} value */
function element(group, number, type, value) {
  const isLong = type === 'OB';
  const head = Buffer.alloc(isLong ? 12 : 8);
  head.writeUInt16LE(group, 0);
  head.writeUInt16LE(number, 2);
  head.write(type, 4);
  if (isLong) head.writeUInt32LE(value.length, 8);
  else head.writeUInt16LE(value.length, 6);
  return Buffer.concat([head, Buffer.from(value)]);
}

function openSequence() {
  return Buffer.from([9, 0, 1, 0, 83, 81, 0, 0, 255, 255, 255, 255, 254, 255, 0, 224, 255, 255, 255, 255]);
}

/** @param {string} syntax @param {Buffer} content */
function dicom(syntax, content) {
  const uid = syntax.length % 2 === 0 ? syntax : `${syntax}\0`;
  return Buffer.concat([Buffer.alloc(128), Buffer.from('DICM'), element(2, 16, 'UI', uid), content]);
}

/** @param {Buffer} content */
function deflatedDicom(content) {
  return dicom('1.2.840.10008.1.2.1.99', deflateRawSync(content));
}
