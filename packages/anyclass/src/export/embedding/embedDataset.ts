// Writes a network's embeddings of a dataset as a dataset of features.

import { openOptions } from '../../configuration/openOptions.js';
import { createLoader } from '../../data/batches/loader.js';
import { openInputs } from '../../data/batches/openInputs.js';
import { type Dataset, splitNames } from '../../data/dataset/dataset.js';
import { selectFeatures } from '../../data/dataset/featureSource.js';
import { takesFeatures } from '../../data/dataset/inputs.js';
import { growingInt32 } from '../../data/dataset/typedArrays.js';
import { type OpenOptions, openDataset } from '../../data/openDataset.js';
import { gatherFloats, gatherIntegers, gatherLists } from '../../distribution/exchange.js';
import { failingTogether } from '../../distribution/failure.js';
import { joinRanks, type Ranks } from '../../distribution/ranks.js';
import { counted } from '../../errors/counted.js';
import { UserError } from '../../errors/userError.js';
import { readingFor } from '../../evaluation/runSettings.js';
import type { RunEventListener } from '../../events/runEvent.js';
import type { Quarantined } from '../../events/runSummary.js';
import type { ComputeWishes } from '../../inference/computeDevice.js';
import { scoredBatches } from '../../inference/scoredBatches.js';
import { openEmbeddingModel } from './embeddingModel.js';
import { createFeatureFile, featureFiles, featureKind } from './featureFile.js';

export interface EmbedOptions extends Partial<Pick<ComputeWishes, 'device' | 'precision'>> {
  /**
   * A `.parquet`, `.csv`, `.npy` or `.safetensors` file; the last two come with a `.csv` of labels next to
   * them.
   */
  readonly out: string;
  /** How to read the dataset; default the settings of the model's run. */
  readonly open?: OpenOptions | undefined;
  /** Images per batch; default 64. */
  readonly batchSize?: number | undefined;
  /** Whether to fail on an unreadable image; default false, which skips it. */
  readonly strict?: boolean | undefined;
  /** Folder of prepared images. */
  readonly cache?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onEvent?: RunEventListener | undefined;
}

export interface Embedded {
  readonly files: readonly string[];
  readonly network: string;
  readonly rows: number;
  /** Length of an embedding. */
  readonly features: number;
  readonly classes: readonly string[];
  readonly quarantined: readonly Quarantined[];
}

/**
 * Writes the embeddings of a dataset (the inputs of a network's last layer) with names, splits and labels.
 * The result is a dataset of features that `linear` and `mlp` train on. The model is a run folder, its
 * model.safetensors, or published weights by name.
 *
 * @example
 * await embed('runs/sewer', 'sewerml=data/sewer', { out: 'features.parquet' });
 */
export async function embed(model: string, spec: string, options: EmbedOptions): Promise<Embedded> {
  const ranks = await joinRanks();
  return failingTogether(ranks, () => embedShare(ranks, model, spec, options));
}

/** Embeds this rank's part of each batch; the first rank writes the embeddings of all. */
async function embedShare(
  ranks: Ranks | undefined,
  model: string,
  spec: string,
  options: EmbedOptions,
): Promise<Embedded> {
  const { out, strict = false, cache, signal, onEvent, device, precision } = options;
  featureKind(out);
  using opened = await openEmbeddingModel(model, {
    batchSize: options.batchSize ?? 64,
    onEvent,
    ...(device !== undefined && { device }),
    ...(precision !== undefined && { precision }),
  });
  const open = options.open ?? openOptions(readingFor(model, spec) ?? {});
  const whole = await openDataset(spec, open);
  try {
    const dataset = forInput(whole, opened.input);
    const { rows, splitOf } = rowsInSplits(dataset);
    const { inputs } = await openInputs(dataset, opened.scorer.format, cache, {
      onNote: (text) => onEvent?.({ type: 'note', text }),
    });
    const { rank = 0, worldSize: world = 1, isFirst = true } = ranks ?? {};
    const step = opened.batchSize * world;
    const loader = createLoader(dataset, inputs, { rows, batchSize: step, strict, rank, world });
    const { classes, labels, groups, names } = dataset;
    const shape = { classes, hasGroups: groups !== undefined, width: opened.width };
    const file = isFirst ? createFeatureFile(out, shape) : undefined;
    let written = 0;
    try {
      const progress = (done: number) =>
        onEvent?.({ type: 'progress', task: 'embedding', done, total: rows.length, unit: 'images' });
      progress(0);
      const batches = loader.epoch(0, signal ? { signal } : {});
      for await (const { batch, logits: embeddings } of scoredBatches(batches, opened.scorer)) {
        const indices = ranks ? await gatherIntegers(ranks, batch.indices) : batch.indices;
        const values = ranks ? await gatherFloats(ranks, embeddings) : embeddings;
        const some = Array.from(indices, (row, i) => ({
          name: names.at(row),
          split: splitNames[splitOf[row]!]!,
          group: groups?.names[groups.codes[row]!],
          labels: Float32Array.from(classes, (_, j) => labels.at(row, j)),
          features: values.slice(i * opened.width, (i + 1) * opened.width),
        }));
        file?.add(some);
        written += some.length;
        progress(Math.min(rows.length, (batch.step + 1) * step));
      }
      const quarantined = ranks
        ? await gatherLists<Quarantined>(ranks, loader.quarantined())
        : loader.quarantined();
      if (written === 0)
        throw new UserError(`${dataset.name}: none of ${counted(rows.length, 'row')} could be read`);
      file?.finish();
      const files = featureFiles(out);
      return { files, network: opened.network, rows: written, features: opened.width, classes, quarantined };
    } catch (error) {
      file?.discard();
      throw error;
    } finally {
      await inputs.close();
    }
  } finally {
    await whole.images.close();
  }
}

/** Returns the dataset with only the features that the network takes; a dataset of images is unchanged. */
function forInput(dataset: Dataset, input: Parameters<typeof takesFeatures>[0]): Dataset {
  if (!takesFeatures(input) || !dataset.features) return dataset;
  return { ...dataset, features: selectFeatures(dataset.features, input.features, dataset.name) };
}

/** Returns all rows that are in a split, in order, and the split of each. */
function rowsInSplits({ splits, names }: Dataset): {
  readonly rows: Int32Array;
  readonly splitOf: Int8Array;
} {
  const splitOf = new Int8Array(names.length).fill(-1);
  splitNames.forEach((split, s) => {
    for (const row of splits[split]) splitOf[row] = s;
  });
  const rows = growingInt32();
  splitOf.forEach((split, row) => {
    if (split >= 0) rows.push(row);
  });
  return { rows: rows.finish(), splitOf };
}
