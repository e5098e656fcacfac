import { readFileSync } from 'node:fs';
import { type Tensor, tensor, tidy } from '@anyclass/torch';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { hashUniform } from '../../verify/hashFill.js';
import { timmGrid, timmOffsets } from './resizeGrid.js';

const grid = z.object({ from: z.int(), to: z.int(), extra: z.int(), values: z.array(z.number()) });
const file = new URL('../../../test/fixtures/networks/grids.json', import.meta.url);
const peer = z
  .object({ positions: z.array(grid), offsets: z.array(grid) })
  .parse(JSON.parse(readFileSync(file, 'utf8')));

describe.each([
  ['position embeddings', timmGrid, peer.positions],
  ['tables of relative positions', timmOffsets, peer.offsets],
] as const)('%s are resized as by timm', (_, resize, cases) => {
  test.each(cases)('$from to $to, after $extra others', ({ from, to, extra, values }) => {
    tidy(() => {
      const resized = resize(vectors(from ** 2 + extra), { cells: to ** 2, extra });
      expect(resized.shape).toEqual([to ** 2 + extra, width]);
      const found = resized.flatten().toFloat32Array();
      for (const [i, value] of values.entries()) expect(found[i]).toBeCloseTo(value, 5);
    });
  });
});

const width = 2;

function vectors(cells: number): Tensor {
  return tensor(Float32Array.from(hashUniform('grid', cells * width)), { shape: [cells, width] });
}
