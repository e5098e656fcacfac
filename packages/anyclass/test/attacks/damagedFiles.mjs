// Files with bytes that are truncated, flipped, zeroed, or overwritten: images, tables, weights, and caches.

import { copyFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readPytorchCheckpoint, readSafetensors, writeSafetensors } from '@anyclass/torch';
import sharp from 'sharp';
import { openPixels } from '../../dist/data/cache/openCache.js';
import { prepareCache } from '../../dist/data/cache/prepareCache.js';
import { decodeImage } from '../../dist/data/images/decoding/decode.js';
import { openDataset } from '../../dist/data/openDataset.js';
import { modelProto } from '../../dist/export/onnx/modelProto.js';
import { fixedDecision } from '../../dist/inference/modelDecision.js';
import { openModelScorer } from '../../dist/inference/modelScorer.js';
import { describeExport, exportMetadata } from '../../dist/inference/onnx/exportedModel.js';
import { checkpoints, damaged, each, fixtures, format, isMeant } from './support.mjs';

export async function images(count, drawOf) {
  const files = readdirSync(fixtures).filter((name) => /\.(png|jpg|webp|tif|gif)$/.test(name));
  const pictures = [...files.map((name) => readFileSync(join(fixtures, name))), ...(await otherPictures())];
  return each(count, drawOf, async (draw) => {
    const bytes = damaged(pictures[draw.below(pictures.length)], draw);
    try {
      const pixels = await decodeImage({ kind: 'encoded', bytes }, format);
      if (pixels.length !== 768) return `decoded to ${pixels.length} bytes`;
    } catch (error) {
      if (!isMeant(error) || /unknown error|\bundefined\b/.test(error.message) || error.message.length > 600)
        return String(error);
    }
  });
}

async function otherPictures() {
  const whole = sharp(join(fixtures, 'rgb.png'));
  const tag = (group, element, type, value) => {
    const head = Buffer.alloc(8);
    head.writeUInt16LE(group, 0);
    head.writeUInt16LE(element, 2);
    head.write(type, 4);
    head.writeUInt16LE(value.length, 6);
    return Buffer.concat([head, value]);
  };
  const short = (element, value) => tag(0x28, element, 'US', Buffer.from([value, 0]));
  const pixels = Buffer.from([0xe0, 0x7f, 0x10, 0, 0x4f, 0x57, 0, 0, 0, 1, 0, 0]);
  const dicom = Buffer.concat([
    ...[Buffer.alloc(128), Buffer.from('DICM'), tag(2, 0x10, 'UI', Buffer.from('1.2.840.10008.1.2.1\0'))],
    ...[short(2, 1), tag(0x28, 4, 'CS', Buffer.from('MONOCHROME2 ')), short(0x10, 16), short(0x11, 16)],
    ...[short(0x100, 8), short(0x101, 8), short(0x102, 7), short(0x103, 0), pixels, Buffer.alloc(256, 77)],
  ]);
  const bmp = Buffer.concat([Buffer.alloc(54), Buffer.alloc(8 * 8 * 3, 99)]);
  bmp.write('BM');
  for (const [at, value] of [
    [2, bmp.length],
    [10, 54],
    [14, 40],
    [18, 8],
    [22, 8],
    [34, 192],
  ])
    bmp.writeUInt32LE(value, at);
  bmp.writeUInt16LE(1, 26);
  bmp.writeUInt16LE(24, 28);
  for (const bytes of [dicom, bmp]) await decodeImage({ kind: 'encoded', bytes }, format);
  return [
    dicom,
    bmp,
    await whole.clone().avif().toBuffer(),
    await whole.clone().tiff({ compression: 'lzw' }).toBuffer(),
  ];
}

export async function tables(count, drawOf, folder) {
  const rows = Array.from({ length: 30 }, (_, i) => i);
  const samples = {
    'labels.csv': [
      'Filename,crack,roots,split',
      ...rows.map((i) => `${i}.png,${i % 2},${i % 3 === 0 ? 1 : ''},${['train', 'val', 'test'][i % 3]}`),
    ].join('\n'),
    'words.csv': [
      'image,labels',
      ...rows.map((i) => `${i}.png,"${['crack|roots', 'crack', ''][i % 3]}"`),
    ].join('\n'),
    'features.csv': [
      'id,feature_0,feature_1,crack',
      ...rows.map((i) => `r${i},${i / 7},${i % 4 === 0 ? '' : -i},${i % 2}`),
    ].join('\n'),
    'features.arff': [
      '@relation pipes',
      '@attribute width numeric',
      '@attribute crack {0,1}',
      '@data',
      ...rows.map((i) => (i % 3 === 0 ? `{0 ${i + 1}, 1 1}` : `${i / 7},${i % 2}`)),
    ].join('\n'),
    'instances.json': JSON.stringify({
      images: rows.map((i) => ({ id: i, file_name: `${i}.png` })),
      annotations: rows.map((i) => ({ id: i, image_id: i, category_id: 1 + (i % 2) })),
      categories: [
        { id: 1, name: 'crack' },
        { id: 2, name: 'roots' },
      ],
    }),
  };
  const parquet = readdirSync(fixtures).filter((name) => name.endsWith('.parquet'));
  const all = [
    ...Object.entries(samples).map(([name, text]) => [name, Buffer.from(text)]),
    ...parquet.map((name) => [name, readFileSync(join(fixtures, name))]),
  ];
  return each(count, drawOf, async (draw) => {
    const [name, bytes] = all[draw.below(all.length)];
    const path = join(folder, name);
    writeFileSync(path, damaged(bytes, draw));
    try {
      const dataset = await openDataset(path);
      await dataset.images.close();
      if (Object.prototype.polluted !== undefined || dataset.names.length < 0) return 'polluted';
    } catch (error) {
      if (!isMeant(error) || /reading '|undefined|is not a function/.test(error.message))
        return `${name}: ${error.stack}`;
    }
  });
}

export async function safetensors(count, drawOf, folder) {
  const path = join(folder, 'model.safetensors');
  const data = new Uint8Array(new Float32Array(600).map((_, i) => Math.sin(i)).buffer);
  writeSafetensors(
    path,
    [['a.weight', { dtype: 'float32', shape: [20, 30], data }]],
    { network: 'x', model: '{"classes":["a"]}' },
    { checksums: true },
  );
  const whole = readFileSync(path);
  const key = whole.indexOf('checksums');
  return each(count, drawOf, async (draw) => {
    const bytes = damaged(whole, draw);
    const isKey = !bytes.subarray(key, key + 9).equals(Buffer.from('checksums'));
    if (bytes.equals(whole) || isKey) return;
    writeFileSync(path, bytes);
    try {
      const { tensors, metadata } = readSafetensors(path);
      const isSame =
        Buffer.compare(tensors.get('a.weight')?.data ?? Buffer.alloc(0), data) === 0 &&
        metadata.model === '{"classes":["a"]}';
      if (!isSame) return 'damage was accepted';
    } catch (error) {
      if (!isMeant(error)) return String(error);
    }
  });
}

/**
 * PyTorch's checkpoints, zip archives with a pickle: the entries have checksums, the
 * directory of entries has none.
 */
export async function pytorch(count, drawOf, folder) {
  const path = join(folder, 'model.pth');
  const files = readdirSync(checkpoints)
    .filter((name) => name.endsWith('.pt'))
    .map((name) => {
      const bytes = readFileSync(join(checkpoints, name));
      return { name, bytes, content: contentOf(join(checkpoints, name)) };
    });
  return each(count, drawOf, async (draw) => {
    const { name, bytes, content } = files[draw.below(files.length)];
    writeFileSync(path, damaged(bytes, draw));
    try {
      if (contentOf(path) !== content) return `${name}: damage was accepted`;
    } catch (error) {
      if (!isMeant(error)) return `${name}: ${error.stack}`;
    }
  });
}

function contentOf(path) {
  const { value } = readPytorchCheckpoint(path);
  return JSON.stringify(value, (_, part) => {
    if (part instanceof Map) return [...part];
    if (ArrayBuffer.isView(part))
      return Buffer.from(part.buffer, part.byteOffset, part.byteLength).toString('hex');
    return typeof part === 'bigint' ? String(part) : part;
  });
}

export async function onnx(count, drawOf, folder) {
  const path = join(folder, 'model.onnx');
  const whole = exportedModel();
  const seal = whole.length - 76;
  return each(count, drawOf, async (draw) => {
    const bytes = damaged(whole, draw);
    // Without the marker of the checksum, this looks like a file from a version that wrote none.
    if (bytes.equals(whole) || bytes.toString('latin1', bytes.length - 72, bytes.length - 66) !== 'sha256')
      return;
    writeFileSync(path, bytes);
    try {
      const model = await openModelScorer(path);
      model[Symbol.dispose]();
      return `damage before byte ${seal} was accepted`;
    } catch (error) {
      if (!isMeant(error)) return String(error);
    }
  });
}

function exportedModel() {
  const classes = ['red', 'blue'];
  const reading = { channels: 3, mean: [0.5], std: [0.1] };
  const decision = fixedDecision(classes, 0.5);
  const description = { classes, ...reading, epoch: 1, loss: 'bce', dataset: 'digits', decision };
  const weight = new Uint8Array(Float32Array.of(1, 0, 0, 0, 0, 1).buffer);
  const node = (operator, inputs, outputs, attributes = {}) => {
    return { operator, name: operator, inputs, outputs, attributes };
  };
  const parts = [];
  modelProto({
    graph: {
      name: 'colors',
      inputs: [{ name: 'pixel_values', type: 'float32', shape: ['batch', 3, 4, 4] }],
      outputs: [{ name: 'logits', type: 'float32', shape: ['batch', 2] }],
      nodes: [
        node('GlobalAveragePool', ['pixel_values'], ['pooled']),
        node('Flatten', ['pooled'], ['means']),
        node('Gemm', ['means', 'weight'], ['logits'], { transB: { int: 1 } }),
      ],
      initializers: [{ name: 'weight', type: 'float32', shape: [2, 3], read: () => weight }],
    },
    producer: { name: 'test', version: '1' },
    metadata: exportMetadata(
      describeExport(description, { network: 'colors', inputSize: 4, precision: 'float32' }),
    ),
  }).writeTo((bytes) => parts.push(Buffer.from(bytes)));
  return Buffer.concat(parts);
}

export async function cache(count, drawOf, folder) {
  const names = Array.from({ length: 24 }, (_, i) => `${i}.${i % 2 === 0 ? 'png' : 'jpg'}`);
  for (const name of names)
    copyFileSync(join(fixtures, name.endsWith('png') ? 'rgb.png' : 'rgb.jpg'), join(folder, name));
  writeFileSync(
    join(folder, 'labels.csv'),
    ['Filename,x', ...names.map((name, i) => `${name},${i % 2}`)].join('\n'),
  );
  const dataset = await openDataset(join(folder, 'labels.csv'));
  const { path } = await prepareCache(dataset, { format, folder: join(folder, 'cache') });
  const whole = readFileSync(join(path, 'images.bin'));
  const found = await each(count, drawOf, async (draw) => {
    writeFileSync(join(path, 'images.bin'), damaged(whole, draw).subarray(0, whole.length));
    const { pixels } = await openPixels(dataset, format, join(folder, 'cache'));
    try {
      const row = draw.below(names.length);
      const out = new Uint8Array(768);
      await pixels.readInto(row, out, 0);
      if (Buffer.compare(out, whole.subarray(row * 768, (row + 1) * 768)) !== 0) return `row ${row} differs`;
    } catch (error) {
      if (!isMeant(error)) return String(error);
    } finally {
      await pixels.close();
    }
  });
  await dataset.images.close();
  return found;
}
