// Time and memory to index large tables, each in its own process: a SewerML training table of 1,040,129 rows and a COCO instances
// file of 450 MB, generated with the sizes of the real ones; a user's own million rows with a column per class, whose splits are drawn;
// the same with empty cells, as Parquet; a million rows of one image and label each; and YOLO label files for 20,000 images. On one core:
//
//     taskset -c 0 node bench/dist/data/indexing.js

import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openDataset } from 'anyclass/data';
import { parquetWriteBuffer } from 'hyparquet-writer';

const [spec, title] = process.argv.slice(2);
if (spec !== undefined) await index(spec, title ?? spec);
else await indexAll();

async function indexAll(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'anyclass-index-'));
  try {
    await write(join(folder, 'SewerML_Train.csv'), sewerLines());
    mkdirSync(join(folder, 'coco'));
    await write(join(folder, 'coco', 'instances_train2017.json'), cocoPieces());
    await write(join(folder, 'own.csv'), ownLines());
    writeFileSync(join(folder, 'own.parquet'), ownParquet());
    await write(join(folder, 'labels.csv'), labelLines());
    writeYolo(join(folder, 'yolo'));
    indexApart('SewerML table', `sewerml=${folder}`, join(folder, 'SewerML_Train.csv'));
    indexApart(
      'COCO instances',
      `coco-41=${join(folder, 'coco')}`,
      join(folder, 'coco', 'instances_train2017.json'),
    );
    indexApart('a column per class, splits drawn', join(folder, 'own.csv'));
    const parquet = join(folder, 'own.parquet');
    indexApart('a column per class with empty cells, Parquet', parquet, parquet);
    indexApart('a row per image and label', join(folder, 'labels.csv'));
    indexApart('YOLO label files', join(folder, 'yolo'));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function indexApart(what: string, dataset: string, file?: string): void {
  const megabytes = file === undefined ? '' : `, ${Math.round(statSync(file).size / 1e6)} MB`;
  spawnSync(process.execPath, [fileURLToPath(import.meta.url), dataset, what + megabytes], {
    stdio: 'inherit',
  });
}

async function index(dataset: string, what: string): Promise<void> {
  const start = performance.now();
  const { labels } = await openDataset(dataset);
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  const { user, system } = process.cpuUsage();
  const cpu = ((user + system) / 1e6).toFixed(1);
  const peak = Math.round(process.resourceUsage().maxRSS / 1000);
  console.log(
    `${what}: ${labels.rows} images indexed in ${seconds} s (${cpu} s of CPU time); peak of the process ${peak} MB`,
  );
}

async function write(path: string, pieces: Iterable<string>): Promise<void> {
  const out = createWriteStream(path);
  for (const piece of pieces) if (!out.write(piece)) await once(out, 'drain');
  out.end();
  await once(out, 'finish');
}

function* sewerLines(): Generator<string> {
  const codes = 'VA,RB,OB,PF,DE,FS,IS,RO,IN,AF,BE,FO,GR,PH,PB,OS,OP,OK,ND'.split(',');
  yield `Filename,WaterLevel,${codes.join(',')},Defect\n`;
  for (let row = 0; row < 1_040_129; row++) {
    const present = (row * 7919) % 100 < 47;
    const cells = codes.map((_, j) => (present && (row + j * 31) % 17 === 1 ? 1 : 0));
    yield `${String(row).padStart(8, '0')}.png,${row % 5},${cells.join(',')},${present ? 1 : 0}\n`;
  }
}

function* ownLines(): Generator<string> {
  const classes = Array.from({ length: 17 }, (_, j) => `class ${j}`);
  yield `Filename,${classes.join(',')}\n`;
  for (let row = 0; row < 1_000_000; row++) {
    const present = (row * 7919) % 100 < 20;
    const cells = classes.map((_, j) => (present && (row + j * 31) % 17 === 1 ? 1 : 0));
    yield `${String(row).padStart(8, '0')}.png,${cells.join(',')}\n`;
  }
}

function ownParquet(): Uint8Array {
  const rows = Array.from({ length: 1_000_000 }, (_, row) => row);
  const label = (row: number, j: number) => ((row * 7919) % 100 < 20 && (row + j * 31) % 17 === 1 ? 1 : 0);
  const classes = Array.from({ length: 17 }, (_, j) => ({
    name: `class ${j}`,
    type: 'INT32' as const,
    data: rows.map((row) => ((row + j) % 50 === 0 ? null : label(row, j))),
  }));
  const image = Uint8Array.of(0);
  const columnData = [
    { name: 'id', type: 'STRING' as const, data: rows.map((row) => `${String(row).padStart(8, '0')}.png`) },
    { name: 'image', type: 'BYTE_ARRAY' as const, data: rows.map(() => image) },
    ...classes,
  ];
  return new Uint8Array(parquetWriteBuffer({ columnData }));
}

function* labelLines(): Generator<string> {
  yield 'image,label\n';
  for (let row = 0; row < 1_000_000; row++) yield `${(row * 7919) % 400_000}.png,class ${row % 80}\n`;
}

function writeYolo(root: string): void {
  mkdirSync(join(root, 'images'), { recursive: true });
  mkdirSync(join(root, 'labels'));
  writeFileSync(join(root, 'classes.txt'), Array.from({ length: 80 }, (_, j) => `class ${j}\n`).join(''));
  for (let i = 0; i < 20_000; i++) {
    writeFileSync(join(root, 'images', `${i}.jpg`), '');
    const objects = Array.from({ length: i % 8 }, (_, k) => `${(i + k * 13) % 80} 0.5 0.5 0.1 0.1\n`);
    writeFileSync(join(root, 'labels', `${i}.txt`), objects.join(''));
  }
}

function* cocoPieces(): Generator<string> {
  const names = (
    'boat,bird,cat,dog,bottle,fork,knife,spoon,banana,apple,sandwich,orange,broccoli,carrot,hot dog,pizza,donut,cake,chair,' +
    'couch,bed,dining table,toilet,tv,laptop,mouse,remote,keyboard,cell phone,microwave,oven,toaster,sink,refrigerator,' +
    'book,clock,vase,scissors,teddy bear,hair drier,toothbrush'
  ).split(',');
  const categories = names.map((name, id) => ({ id, name, supercategory: 'object' }));
  yield `{"categories": ${JSON.stringify(categories)}, "images": [`;
  for (let id = 0; id < 118_287; id++)
    yield `${id ? ',' : ''}{"id":${id},"file_name":"${id}.jpg","width":640,"height":480}`;
  yield '], "annotations": [';
  const polygon = Array.from({ length: 66 }, (_, i) => (i * 7.31).toFixed(2)).join(',');
  for (let id = 0; id < 860_001; id++) {
    const where = `"image_id":${(id * 7919) % 118_287},"category_id":${id % names.length}`;
    yield `${id ? ',' : ''}{"id":${id},${where},"segmentation":[[${polygon}]],"area":1234.5,"bbox":[1,2,3,4],"iscrowd":0}`;
  }
  yield ']}';
}
