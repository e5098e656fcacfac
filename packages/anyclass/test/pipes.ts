// A model and images of 23 pipes, for commands whose work is shared by several processes.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setSeed } from '@anyclass/torch';
import { parquetWriteBuffer } from 'hyparquet-writer';
import sharp from 'sharp';
import { fixedDecision } from '../src/inference/modelDecision.js';
import { createNetwork } from '../src/networks/createNetwork.js';
import { saveModel } from '../src/runs/modelFile.js';

/** Not a multiple of two, of the batch size, or of the blocks that ranks take in turns. */
export const pipeCount = 23;
const broken = 13;
const classes = ['crack', 'roots'];

interface PipeRow {
  readonly image: Uint8Array;
  readonly labels: readonly number[];
}

/**
 * Writes `model.safetensors`, `labels.csv` with its folder `photos`, in which one image is broken, and two
 * Parquet shards in which all are intact.
 */
export async function writePipes(folder: string): Promise<void> {
  writeModel(join(folder, 'model.safetensors'));
  mkdirSync(join(folder, 'photos'));
  const lines = ['Filename,split,crack,roots'];
  const rows: PipeRow[] = [];
  for (let i = 0; i < pipeCount; i++) {
    const color = { r: (37 * i) % 256, g: (91 * i) % 256, b: (151 * i) % 256 };
    const image = await sharp({ create: { width: 40, height: 32, channels: 3, background: color } })
      .png()
      .toBuffer();
    const name = `${String(i).padStart(2, '0')}.png`;
    writeFileSync(join(folder, 'photos', name), i === broken ? 'no image' : image);
    lines.push(`${name},test,${i % 2},${Number(i % 3 === 0)}`);
    rows.push({ image, labels: [...(i % 2 ? [0] : []), ...(i % 3 === 0 ? [1] : [])] });
  }
  writeFileSync(join(folder, 'labels.csv'), `${lines.join('\n')}\n`);
  writeShard(join(folder, 'test-00000-of-00002.parquet'), rows.slice(0, 9));
  writeShard(join(folder, 'test-00001-of-00002.parquet'), rows.slice(9));
}

function writeModel(file: string): void {
  setSeed(1);
  using network = createNetwork('tresnet-s', { classes: 2, inputSize: 16 });
  const description = {
    classes,
    channels: 3 as const,
    mean: [0.5],
    std: [0.25],
    epoch: 1,
    loss: 'bce',
    dataset: 'pipes',
  };
  saveModel(file, { network, description: { ...description, decision: fixedDecision(classes, 0.5) } });
}

function writeShard(file: string, rows: readonly PipeRow[]): void {
  const bytes = parquetWriteBuffer({
    columnData: [
      { name: 'image', data: rows.map(({ image }) => image), type: 'BYTE_ARRAY' },
      { name: 'crack', data: rows.map(({ labels }) => Number(labels.includes(0))), type: 'INT32' },
      { name: 'roots', data: rows.map(({ labels }) => Number(labels.includes(1))), type: 'INT32' },
    ],
    rowGroupSize: 4,
  });
  writeFileSync(file, new Uint8Array(bytes));
}
