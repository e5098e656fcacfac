import type { Embeddings } from './embeddings.js';
import type { Folder } from './folders.js';
import type { LiveRuns } from './liveRuns.js';
import type { ModelChild } from './modelChild.js';
import type { Pictures } from './pictures.js';
import type { OpenData } from './runData.js';
import type { RunIndex } from './runIndex.js';
import type { ScoreTables } from './scoreTables.js';

/** What the routes of all views share. */
export interface Studio {
  readonly folders: readonly Folder[];
  readonly index: RunIndex;
  readonly live: LiveRuns;
  /** Saved scores of runs. */
  readonly tables: ScoreTables;
  /** The data of runs, opened when first needed. */
  readonly data: OpenData;
  /** Thumbnails and heat maps. */
  readonly pictures: Pictures;
  /** Of validation images, computed in the background. */
  readonly embeddings: Embeddings;
  /** Computes with models, in another process. */
  readonly child: ModelChild;
}
