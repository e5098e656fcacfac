// Time and memory to index the largest tables: a SewerML training table of 1,040,129 rows, and a COCO instances file of
// 450 MB. Both are generated, with the sizes of the real ones. On one core:
//
//     taskset -c 0 node bench/dist/data/indexing.js

import { once } from 'node:events';
import { createWriteStream, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDataset } from 'anyclass/data';

const folder = mkdtempSync(join(tmpdir(), 'anyclass-index-'));
try {
  const sewer = join(folder, 'SewerML_Train.csv');
  await write(sewer, sewerLines());
  await index('SewerML table', sewer, `sewerml=${folder}`);
  mkdirSync(join(folder, 'coco'));
  const coco = join(folder, 'coco', 'instances_train2017.json');
  await write(coco, cocoPieces());
  await index('COCO instances', coco, `coco-41=${join(folder, 'coco')}`);
} finally {
  rmSync(folder, { recursive: true });
}

async function index(what: string, file: string, spec: string): Promise<void> {
  const start = performance.now();
  const { labels } = await openDataset(spec);
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  const megabytes = Math.round(statSync(file).size / 1e6);
  const peak = Math.round(process.resourceUsage().maxRSS / 1000);
  console.log(
    `${what}: ${labels.rows} rows, ${megabytes} MB indexed in ${seconds} s; peak of the process ${peak} MB`,
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
