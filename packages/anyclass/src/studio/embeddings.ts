// The embeddings of a run's validation images: computed in the background when first asked for, and kept for the last few runs.

import { statSync } from 'node:fs';
import type { Background, EmbeddingMap, Neighbors } from '@anyclass/studio';
import { runPaths } from '../runs/runFolder.js';
import { backgroundWork } from './background.js';
import type { FoundRun } from './findRuns.js';
import type { Folder } from './folders.js';
import { modelChild } from './modelChild.js';
import type { Embedded } from './modelMessages.js';
import { principalPlane } from './principalPlane.js';
import type { ScoreTables } from './scoreTables.js';

/** Beyond this many images, evenly spaced ones are taken: 10,000 of 2,048 numbers take 80 MB. */
const mostRows = 10_000;
const mostKept = 3;

export interface Embeddings {
  of(run: FoundRun): Background<Embedded>;
  map(run: FoundRun): Background<EmbeddingMap>;
}

export function embeddings(tables: ScoreTables, folders: readonly Folder[]): Embeddings {
  const kept = backgroundWork<Embedded>(mostKept);
  const maps = new WeakMap<Embedded, EmbeddingMap>();
  const of = (run: FoundRun) => {
    const stamp = statSync(runPaths(run.path).model, { throwIfNoEntry: false })?.mtimeMs;
    return kept.of(`${run.path}\n${stamp}`, async (progress) => {
      const { names } = await tables.read(run, 'validation');
      const stride = Math.ceil(names.length / mostRows);
      const some = names.filter((_, row) => row % stride === 0);
      const child = modelChild();
      try {
        return await child.ask({ kind: 'embedAll', model: run.path, names: some, folders }, progress);
      } finally {
        child.close();
      }
    });
  };
  return {
    of,
    map(run) {
      const now = of(run);
      if (now.state !== 'ready') return now;
      const known = maps.get(now.result) ?? mapOf(now.result);
      maps.set(now.result, known);
      return { state: 'ready', result: known };
    },
  };
}

function mapOf({ names, values, width }: Embedded): EmbeddingMap {
  const { x, y, share } = principalPlane(values, width);
  return {
    names,
    x: Array.from(x, (value) => Number(value.toFixed(4))),
    y: Array.from(y, (value) => Number(value.toFixed(4))),
    method: `the plane of the embeddings with most of their variance, ${Math.round(100 * share)}%`,
  };
}

/** The images nearest to one, by the cosine of their embeddings. */
export function neighborsOf({ names, values, width }: Embedded, one: Float32Array, count: number): Neighbors {
  const near = names.map((name, row) => {
    let similarity = 0;
    for (let k = 0; k < width; k++) similarity += values[row * width + k]! * one[k]!;
    return { name, similarity };
  });
  near.sort((a, b) => b.similarity - a.similarity);
  return { among: names.length, neighbors: near.slice(0, count) };
}
