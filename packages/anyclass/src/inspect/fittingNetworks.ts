// Which networks to try first on a dataset.

import { preparedOptions } from '../configuration/openOptions.js';
import { validateConfiguration } from '../configuration/validate.js';
import type { ImageSource } from '../data/dataset/imageSource.js';
import type { ImageReading } from '../data/dataset/reading/pixelFormat.js';
import { createDecoder } from '../data/images/decoding/decoder.js';
import { openPrepared } from '../data/openPrepared.js';
import { type NetworkName, networkCost, networkDefinitions, networkStride } from '../networks/catalog.js';
import { typicalSide } from './suggestConfiguration.js';

/** What the choice depends on. */
export interface FittingFacts {
  readonly trainingRows: number;
  readonly classes: number;
  /** A common input size that keeps the detail of typical images; undefined for feature vectors. */
  readonly inputSize: number | undefined;
  readonly isGray: boolean;
  readonly hasGpu: boolean;
}

export interface FittingNetwork {
  readonly name: NetworkName;
  readonly reasons: readonly string[];
  /** Published weights to start from, if any. */
  readonly weights?: string;
}

/**
 * Examines a dataset and names up to three networks to try first; also returns how many classes it has.
 *
 * @example
 * (await fittingNetworks('digits', { hasGpu: false })).networks[0]?.name // 'tresnet-s'
 */
export async function fittingNetworks(
  spec: string,
  { hasGpu }: { readonly hasGpu: boolean },
): Promise<{ readonly classes: number; readonly networks: readonly FittingNetwork[] }> {
  const { data } = validateConfiguration({ data: { dataset: spec } }, spec);
  const dataset = await openPrepared(data.dataset, preparedOptions(data));
  try {
    const { images, features, preparation } = dataset;
    const { train } = dataset.splits;
    const classes = dataset.classes.length;
    const networks = networksFor({
      trainingRows: train.length,
      classes,
      inputSize: features ? undefined : commonSize(await typicalSide(images, train, preparation)),
      isGray: !features && (preparation.channels === 1 || (await areGray(images, train, preparation))),
      hasGpu,
    });
    return { classes, networks };
  } finally {
    await dataset.images.close();
  }
}

/** Whether the first images have no color on average: scans are often stored as RGB, and JPEG may shift a gray by one level. */
async function areGray(images: ImageSource, rows: Int32Array, reading: ImageReading): Promise<boolean> {
  const decoder = createDecoder({ ...reading, width: 1, height: 1, channels: 3 }, { processes: 1 });
  let decoded = 0;
  try {
    for (const row of rows.subarray(0, 25)) {
      const color = await images
        .read(row)
        .then(decoder.decode)
        .catch(() => undefined);
      if (color === undefined) continue;
      if (Math.max(...color) - Math.min(...color) > 2) return false;
      decoded++;
    }
  } finally {
    await decoder.close();
  }
  return decoded > 0;
}

/** The smallest common input size that keeps the detail of images of this side. */
function commonSize(side: number): number {
  return [32, 64, 96, 128, 160].find((size) => side <= size) ?? 224;
}

const few = 5000;

/**
 * Names up to three networks, best first, from facts about a dataset and this machine.
 *
 * @example
 * networksFor({ trainingRows: 800, classes: 5, inputSize: 224, isGray: false, hasGpu: true })[0]?.name // 'dinov2-s-14-reg'
 */
export function networksFor(facts: FittingFacts): FittingNetwork[] {
  const { inputSize, classes } = facts;
  return choicesFor(facts).map(([name, reason]) => {
    const stride = networkStride(name);
    const { parameters, multiplyAdds } = networkCost(name, classes);
    const size = `${(parameters / 1e6).toFixed(1)} million parameters, ${(multiplyAdds / 1e9).toFixed(2)} G multiply-adds at 224 px`;
    const cells =
      inputSize === undefined || stride === undefined
        ? []
        : [`at ${inputSize} px its last map has ${Math.ceil(inputSize / stride)} cells a side`];
    const [weights] = networkDefinitions[name].weights.published ?? [];
    return {
      name,
      reasons: [reason, ...cells, ...(inputSize === undefined ? [] : [size])],
      ...(weights && { weights: weights.name }),
    };
  });
}

type Choice = readonly [NetworkName, string];

function choicesFor({ inputSize, trainingRows, isGray, hasGpu }: FittingFacts): readonly Choice[] {
  if (inputSize === undefined) {
    return [
      ['mlp', 'the data are feature vectors, and hidden layers combine them'],
      ['linear', 'a logistic regression per class: the baseline to beat'],
    ];
  }
  if (inputSize <= 96) {
    return [
      ['tresnet-s', 'made for small images: half the stride of most'],
      ['resnet-18', 'small, with weights from ImageNet'],
      ['vit-s-16', 'a transformer; patchSize 8 gives four times the cells, but its weights have 16'],
    ];
  }
  const choices: Choice[] = [];
  if (trainingRows < few) {
    choices.push([
      'dinov2-s-14-reg',
      `${trainingRows.toLocaleString('en-US')} training images are few: features learned without labels need the fewest, also with freezeTrunk`,
    ]);
  }
  if (isGray) {
    choices.push([
      'densenet-121',
      'gray images: the network of most models for X-rays, small and hard to overfit',
    ]);
  }
  if (hasGpu) {
    choices.push(
      ['tresnet-l', 'made for GPUs and for many labels; the paper’s choice'],
      ['convnext-t', 'trains steadily without batch norm, and has weights from 14 million images'],
      ['dinov3-b-16', 'the strongest features, at the highest cost'],
    );
  } else {
    choices.push(
      ['mobilenetv3-l', 'there is no GPU: the cheapest by far'],
      ['resnet-18', 'there is no GPU: cheap, and quick to train'],
      ['efficientnetv2-s', 'the most accurate that a CPU still predicts quickly'],
    );
  }
  return choices.slice(0, 3);
}
