// Makes a model file from a checkpoint that another program wrote: a PyTorch or a plain safetensors file.

import { existsSync } from 'node:fs';
import { nn } from '@anyclass/torch';
import { photographPreparation } from '../data/dataset/dataset.js';
import { changedPreparation, type PreparationChanges, readingOf } from '../data/dataset/preparation.js';
import { counted, inflected } from '../errors/counted.js';
import { UsageError } from '../errors/usageError.js';
import { UserError } from '../errors/userError.js';
import { type NetworkName, optionsOfShapes } from '../networks/catalog.js';
import { createNetwork } from '../networks/createNetwork.js';
import type { Network } from '../networks/network.js';
import { loadWeights, type WeightReport, weightReportText } from '../networks/weights/loadWeights.js';
import { readWeights } from '../networks/weights/readWeights.js';
import { saveModel } from './modelFile.js';

export interface ImportModelOptions extends PreparationChanges {
  readonly network: NetworkName;
  /** In the order of the checkpoint's last layer. */
  readonly classes: readonly string[];
  /** The `.safetensors` file to write; it must not exist yet. */
  readonly out: string;
  /** Height and width of the images. Default 224. */
  readonly inputSize?: number | undefined;
}

/**
 * Writes a model file with a checkpoint's weights, which `evaluate` and `openPredictor` accept like that of a
 * run. The checkpoint must have every weight of the network, and a last layer with one output per class;
 * unused entries are reported. Images are preprocessed as PyTorch's own models expect, unless channels, mean,
 * standard deviation, window or frame say otherwise.
 *
 * @example
 * const report = importModel('sewerml-tresnet-l.ckpt', {
 *   network: 'tresnet-l',
 *   classes: ['RB', 'OB', 'PF', 'DE', 'FS', 'IS', 'RO', 'IN', 'AF', 'BE', 'FO', 'GR', 'PH', 'PB', 'OS', 'OP', 'OK'],
 *   mean: [0.523, 0.453, 0.345],
 *   std: [0.21, 0.199, 0.154],
 *   out: 'sewerml.safetensors',
 * });
 * report.unused // ['criterion.weight']
 */
export function importModel(checkpoint: string, options: ImportModelOptions): WeightReport {
  const { network: name, classes, out, inputSize, channels, mean, std } = options;
  if (!existsSync(checkpoint)) throw new UserError(`${checkpoint}: no such file`);
  checkTarget(out);
  checkStatistics(options);
  const shapes = new Map(Array.from(readWeights(checkpoint), ([entry, { shape }]) => [entry, shape]));
  using network = nn.init.withoutDrawing(() =>
    createNetwork(name, {
      ...optionsOfShapes(name, shapes),
      classes: classes.length,
      ...(inputSize !== undefined && { inputSize }),
    }),
  );
  const report = loadWeights(network, checkpoint);
  refusePart(network, report, shapes);
  const preparation = changedPreparation(photographPreparation, {
    channels,
    mean,
    std,
    ...readingOf(options),
  });
  saveModel(out, {
    network,
    description: {
      classes,
      channels: preparation.channels,
      mean: preparation.mean,
      std: preparation.std,
      ...readingOf(preparation),
      // A checkpoint does not say how it was trained.
      epoch: 0,
      loss: 'unknown',
      dataset: 'unknown',
    },
  });
  return report;
}

function checkTarget(out: string): void {
  if (!out.endsWith('.safetensors'))
    throw new UsageError(`'${out}' does not end in .safetensors, as model files do`, 'out');
  if (existsSync(out)) throw new UserError(`${out} already exists; delete it or choose another path`);
}

function checkStatistics({ channels = 3, mean, std }: PreparationChanges): void {
  for (const [option, values] of [['mean', mean] as const, ['std', std] as const]) {
    if (values === undefined) continue;
    if (values.length !== channels) {
      throw new UsageError(
        `has ${counted(values.length, 'value')}; expected ${channels}, one per channel`,
        option,
      );
    }
    const bad = values.find((value) => !Number.isFinite(value) || (option === 'std' && value <= 0));
    if (bad !== undefined) {
      const expected = option === 'std' ? 'numbers above 0' : 'numbers';
      throw new UsageError(`holds ${bad}; expected ${expected}, for pixels from 0 to 1`, option);
    }
  }
}

/** Throws if part of the network would be random, because that is not a model. */
function refusePart(
  network: Network,
  report: WeightReport,
  shapes: ReadonlyMap<string, readonly number[]>,
): void {
  const { file, missing, misshapen, freshHead } = report;
  if (missing.length > 0 || misshapen.length > 0) {
    throw new UserError(`${file} does not hold all of ${network.name}:\n${weightReportText(report)}`);
  }
  const [head] = freshHead;
  if (head === undefined) return;
  const { classes } = network.options;
  const found = [...shapes].find(([name]) => name.endsWith(head))?.[1][0];
  const has = found === undefined ? 'has no last layer that fits' : `has ${found} outputs`;
  throw new UserError(
    `${file}: ${has}, but ${classes} ${inflected(classes, 'class is', 'classes are')} given; list the classes that it was trained with, in order`,
  );
}
