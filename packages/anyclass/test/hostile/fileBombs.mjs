// Small files that stand for much, as data sets, tables and weights; the images are those of bombs.mjs.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32, deflateRawSync, gzipSync } from 'node:zlib';
import { parquetWriteBuffer } from 'hyparquet-writer';
import sharp from 'sharp';
import { bombs } from './bombs.mjs';

/**
 * @typedef {{ readonly what: string, readonly words: readonly string[] }} Attack
 * `words`: the command that meets the file.
 */

/**
 * Writes the files to a folder, and returns the commands that meet them.
 *
 * @param {string} folder
 * @param {string} model a model that works
 * @returns {Promise<Attack[]>}
 */
export async function fileBombs(folder, model) {
  const file = (/** @type {string} */ name, /** @type {Buffer | string} */ bytes) => {
    const path = join(folder, name);
    mkdirSync(join(path, '..'), { recursive: true });
    writeFileSync(path, bytes);
    return path;
  };
  const images = join(folder, 'images');
  mkdirSync(images);
  const list = ['image,crack,root'];
  for (const [i, [, bytes]] of [...(await bombs())].entries()) {
    file(`images/${i}.png`, bytes);
    list.push(`${i}.png,${i % 2},0`);
  }
  const plain = await sharp({ create: { width: 8, height: 8, channels: 3, background: '#888' } })
    .png()
    .toBuffer();
  for (const name of ['a.png', 'b.png']) {
    file(`images/${name}`, plain);
    list.push(`${name},1,0`);
  }
  const table = file('images/labels.csv', `${list.join('\n')}\n`);
  const inspect = (/** @type {string} */ what, /** @type {string} */ path) => ({
    what,
    words: ['inspect', path],
  });
  const out = (/** @type {string} */ name) => join(folder, 'out', name);
  const named = ['--network', 'resnet-18', '--classes', 'a,b'];
  /** Whatever opens weights. */
  const opened = (/** @type {string} */ what, /** @type {string} */ path) => [
    { what, words: ['import', path, ...named, '--out', out('m.safetensors')] },
    { what: `${what}, to export`, words: ['export', path, '--out', out('m.onnx')] },
    { what: `${what}, as a model`, words: ['model', path] },
    { what: `${what}, to predict with`, words: ['predict', path, images, '--out', out('p.csv')] },
    { what: `${what}, to start from`, words: ['train', plan, '--weights', path, '--run', out('run')] },
  ];
  const row = 'a.png,1,0\n';
  const rows = Array.from({ length: 40 }, (_, i) => {
    file(`images/plain/${i}.png`, plain);
    return `${i}.png,${i % 2},${(i >> 1) % 2}\n`;
  });
  const few = file('images/plain/labels.csv', `image,crack,root\n${rows.join('')}`);
  const plan = file(
    'plan.json',
    JSON.stringify({
      data: { dataset: few },
      network: { name: 'resnet-18', inputSize: 32 },
      epochs: 1,
      device: 'cpu',
    }),
  );
  const laughs = Array.from({ length: 9 }, (_, i) => `<!ENTITY l${i + 1} "${`&l${i};`.repeat(10)}">`).join(
    '',
  );
  const aliases = Array.from({ length: 9 }, (_, i) => `l${i + 1}: &l${i + 1} [${`*l${i},`.repeat(9)}*l${i}]`);
  return [
    inspect('a dataset of image bombs', table),
    { what: 'predictions of image bombs', words: ['predict', model, images, '--out', join(folder, 'p.csv')] },
    {
      what: 'a cache of image bombs',
      words: ['prepare', table, '--size', '32', '--cache', join(folder, 'cache')],
    },
    inspect(
      'a gzipped table of 100 MB with one row again and again',
      file('rows.csv', gzipSync(`image,crack,root\n${row.repeat(1e7)}`)),
    ),
    inspect('a gzipped table with a line of 400 MB', file('line.csv', gzipSync(Buffer.alloc(4e8, 97)))),
    inspect(
      'a gzipped table of a million columns',
      file('columns.csv', gzipSync(`image,${Array.from({ length: 1e6 }, (_, i) => i).join()}\n`)),
    ),
    inspect('a table with a quote that never ends', file('quote.csv', `image,crack\n"${'a'.repeat(5e7)}`)),
    inspect(
      'a Parquet table whose two images inflate to 900 MB',
      file(
        'images.parquet',
        parquet(
          { name: 'image', data: [Buffer.alloc(5e8), Buffer.alloc(4e8)], type: 'BYTE_ARRAY' },
          { name: 'crack', data: [1, 0], type: 'INT32' },
        ),
      ),
    ),
    inspect(
      'a Parquet table of three million rows in 15 KB',
      file(
        'rows.parquet',
        parquet(
          { name: 'id', data: new Array(3e6).fill('a.png'), type: 'STRING' },
          { name: 'feature_0', data: new Array(3e6).fill(1), type: 'FLOAT' },
          { name: 'crack', data: new Array(3e6).fill(1), type: 'INT32' },
        ),
      ),
    ),
    inspect('nested JSON', file('nested.json', '['.repeat(2e7))),
    inspect('nested COCO', file('coco/nested.json', `{"images":${'['.repeat(1e7)}`)),
    inspect(
      'COCO with a text of 200 MB',
      file(
        'coco/text.json',
        `{"images":[{"id":1,"file_name":"${'a'.repeat(2e8)}"}],"annotations":[],"categories":[]}`,
      ),
    ),
    inspect(
      'YAML aliases that double',
      file('yolo/data.yaml', `l0: &l0 [lol]\n${aliases.join('\n')}\nnames: *l9\ntrain: .\n`),
    ),
    inspect(
      'XML entities that double',
      voc(
        file,
        `<!DOCTYPE a [<!ENTITY l0 "lol">${laughs}]><annotation><object><name>&l9;</name></object></annotation>`,
        plain,
      ),
    ),
    {
      what: 'a gzipped log with a line of 400 MB',
      words: [
        'monitor',
        file('log.jsonl.gz', gzipSync(Buffer.alloc(4e8, 97))),
        file('ids.csv', 'id,negative\n'),
      ],
    },
    { what: 'scores from a device', words: ['evaluate', '--scores', '/dev/zero', '--labels', table] },
    inspect(
      'an ARFF file with a line of 100 MB',
      file('long.arff', `@relation r\n@attribute a numeric\n@data\n${'1'.repeat(1e8)}`),
    ),
    ...opened(
      'safetensors whose header claims an exabyte',
      file('huge.safetensors', Buffer.concat([size64(10n ** 18n), Buffer.from('{}')])),
    ),
    ...opened('safetensors with a nested header', file('deep.safetensors', withHeader('['.repeat(5e7)))),
    ...opened(
      'safetensors with a tensor of a billion values in no bytes',
      file(
        'claims.safetensors',
        withHeader('{"w":{"dtype":"F32","shape":[1000000000],"data_offsets":[0,4000000000]}}'),
      ),
    ),
    ...opened('a PyTorch file that inflates to 2 GB', file('zip.pt', zipBomb())),
    ...opened(
      'a pickle of nested tuples',
      file(
        'deep.pt',
        zipOf('archive/data.pkl', Buffer.concat([Buffer.from([0x80, 2]), Buffer.alloc(2e7, 0x28)])),
      ),
    ),
    ...opened('ONNX of nothing but nested messages', file('deep.onnx', onnxBomb())),
  ];
}

/** @param {import('hyparquet-writer').ColumnSource[]} columns */
function parquet(...columns) {
  return Buffer.from(
    parquetWriteBuffer({
      columnData: columns,
      codec: 'GZIP',
      compressors: { GZIP: (/** @type {Uint8Array} */ bytes) => gzipSync(bytes) },
    }),
  );
}

/** A folder in the layout of Pascal VOC. @param {(name: string, bytes: Buffer | string) => string} file @param {string} xml @param {Buffer} image */
function voc(file, xml, image) {
  file('voc/Annotations/a.xml', xml);
  file('voc/ImageSets/Main/train.txt', 'a\n');
  return join(file('voc/JPEGImages/a.jpg', image), '../..');
}

/** @param {bigint} value */
function size64(value) {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(value);
  return bytes;
}

/** @param {string} header */
function withHeader(header) {
  return Buffer.concat([size64(BigInt(header.length)), Buffer.from(header)]);
}

/** Four entries that inflate to half a gigabyte each. */
function zipBomb() {
  const zeros = deflateRawSync(Buffer.alloc(5e8));
  return zipEntries(
    ['archive/data.pkl', 'archive/data/0', 'archive/data/1', 'archive/version'].map((name) => ({
      name,
      stored: zeros,
      size: 5e8,
      sum: 0,
      method: 8,
    })),
  );
}

/** @param {string} name @param {Buffer} bytes */
function zipOf(name, bytes) {
  return zipEntries([{ name, stored: bytes, size: bytes.length, sum: crc32(bytes), method: 0 }]);
}

/** @param {readonly { name: string, stored: Buffer, size: number, sum: number, method: number }[]} entries */
function zipEntries(entries) {
  const parts = [];
  const directory = [];
  let at = 0;
  for (const { name, stored, size, sum, method } of entries) {
    const fields = Buffer.alloc(26);
    fields.writeUInt16LE(20, 0);
    fields.writeUInt16LE(method, 4);
    fields.writeUInt32LE(sum, 10);
    fields.writeUInt32LE(stored.length, 14);
    fields.writeUInt32LE(size, 18);
    fields.writeUInt16LE(name.length, 22);
    const local = Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), fields, Buffer.from(name), stored]);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(at, 10);
    directory.push(
      Buffer.concat([Buffer.from('PK\x01\x02\x14\x00', 'latin1'), fields, rest, Buffer.from(name)]),
    );
    parts.push(local);
    at += local.length;
  }
  const listed = Buffer.concat(directory);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(entries.length, 4);
  end.writeUInt16LE(entries.length, 6);
  end.writeUInt32LE(listed.length, 8);
  end.writeUInt32LE(at, 12);
  return Buffer.concat([...parts, listed, Buffer.from('PK\x05\x06', 'latin1'), end]);
}

/** A graph whose attribute has a graph, and so on, ten thousand deep. */
function onnxBomb() {
  let inner = Buffer.alloc(0);
  for (let i = 0; i < 10_000; i++) {
    const length = [];
    for (let left = inner.length; ; left >>>= 7) {
      length.push(left > 127 ? (left & 127) | 128 : left);
      if (left <= 127) break;
    }
    inner = Buffer.concat([Buffer.from([0x3a, ...length]), inner]);
  }
  return inner;
}
