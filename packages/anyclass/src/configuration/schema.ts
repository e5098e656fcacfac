// The configuration of a run: one schema gives the types, the defaults, the validation and the reference page.

import { z } from 'zod';
import { bestMetrics } from '../events/bestMetric.js';
import { lossNames } from '../losses/lossNames.js';
import { familyOptions, networkNames } from '../networks/catalogue.js';
import { dataFields } from './dataFields.js';
import { decisionFields } from './decisionFields.js';

const count = z.int().positive();
const share = z.number().min(0).max(1);

const networkParts = z.strictObject({
  name: z.enum(networkNames).default('tresnet-m').describe('which network'),
  inputSize: count
    .default(224)
    .describe("height and width of the images in pixels; default the weights' own"),
  expertHeads: z.boolean().optional().describe('a small network for each class as the last layer'),
  ...familyOptions.shape,
  weights: z
    .string()
    .optional()
    .describe(
      'start from these: a name (`timm/…`, `torchvision/…`), `hf:OWNER/NAME@REVISION[:FILE]`, an https address with `#sha256=…`, a file or a run',
    ),
  freezeTrunk: z.boolean().default(false).describe('train the last layer only'),
  frozenEpochs: z
    .int()
    .min(0)
    .default(0)
    .describe('train the last layer only for so many epochs, then everything'),
  trunkRate: z.number().min(0).default(1).describe("the trunk's learning rate as a part of the last layer's"),
});

const network = networkParts.refine(({ freezeTrunk, frozenEpochs }) => !freezeTrunk || frozenEpochs === 0, {
  path: ['frozenEpochs'],
  message: 'expected 0 where network.freezeTrunk is true, which holds for all epochs',
});

const loss = z.strictObject({
  name: z.enum(lossNames).default('any-bce').describe('`any-…` adds the any-class term of the paper'),
  alpha: share.default(1).describe('α: weight of the any-class term'),
  lambda: share.default(0.02).describe('λ: weight of absent classes in the any-class logit'),
  gamma: z.number().min(0).default(2).describe('γ: focusing exponent of the focal losses'),
  gammaPositive: z
    .number()
    .min(0)
    .default(1)
    .describe('γ+: focusing exponent of present classes in the ASL losses'),
  gammaNegative: z
    .number()
    .min(0)
    .default(4)
    .describe('γ−: focusing exponent of absent classes in the ASL losses'),
  clip: z
    .number()
    .min(0)
    .lt(1)
    .default(0.05)
    .describe('ASL: probabilities of absent classes are lowered by this'),
  beta: z
    .number()
    .min(0)
    .lt(1)
    .nullable()
    .default(null)
    .describe('β: class balancing by effective numbers, 0.9999 in the paper; null for none'),
  smoothing: z.number().min(0).lt(1).default(0).describe('label smoothing of the class term'),
  reduction: z
    .enum(['batch', 'mean'])
    .default('mean')
    .describe("batch: over the batch's labels and negatives, as in the paper; mean: over its images"),
});

const optimizer = z.strictObject({
  name: z.enum(['sgd', 'adamw']).default('adamw').describe('how weights are updated'),
  rate: z
    .number()
    .positive()
    .max(3e38)
    .optional()
    .describe('learning rate; default 0.1 for sgd, 0.001 for adamw'),
  weightDecay: z.number().min(0).optional().describe('default 0.0001 for sgd, 0.05 for adamw'),
  momentum: share.default(0.9).describe('sgd'),
  nesterov: z.boolean().default(false).describe('sgd'),
  betas: z.tuple([share, share]).default([0.9, 0.999]).describe('adamw'),
});

const schedule = z.strictObject({
  name: z.enum(['constant', 'steps', 'cosine']).default('cosine').describe('how the rate goes by epoch'),
  milestones: z.array(count).default([]).describe('steps: epochs after which the rate is multiplied'),
  factor: z.number().positive().default(0.1).describe('steps: by what'),
  firstCycle: count.optional().describe('cosine: epochs to the first restart; default all of them'),
  cycleFactor: count.default(1).describe('cosine: how many times longer each next cycle is'),
  floor: z.number().min(0).default(0).describe('cosine: the lowest rate'),
  warmUpEpochs: z.int().min(0).default(0).describe('epochs of linear warm-up before it'),
  warmUpFactor: share.default(0.01).describe('the part of the rate that the warm-up begins with'),
});

const range = z.tuple([z.number().positive(), z.number().positive()]);

const augmentationParts = z.strictObject({
  flip: share.optional().describe('chance of a horizontal flip'),
  rotation: z.number().min(0).max(180).optional().describe('degrees either way'),
  jitter: z
    .strictObject({ brightness: share, contrast: share, saturation: share, hue: z.number().min(0).max(0.5) })
    .optional()
    .describe('change of colors'),
  resizedCrop: z.strictObject({ scale: range, ratio: range }).optional().describe('take a part of the image'),
  erasing: z
    .strictObject({ probability: share, scale: range, ratio: range })
    .optional()
    .describe('blank out a rectangle'),
});

const checkpoints = z.strictObject({
  everyMinutes: z.number().positive().default(15).describe('also in the middle of an epoch'),
  keep: count.default(2).describe('how many of the newest stay'),
  best: z
    .array(z.enum(bestMetrics))
    .default(['mAP', 'macroF1', 'macroF2', 'loss'])
    .describe('keep the weights that were best by each of these'),
});

const evaluation = z.strictObject({
  batchSize: count.optional().describe('default: that of training'),
  decision: decisionFields.prefault({}),
  calibration: z
    .enum(['temperature', 'platt', 'none'])
    .default('temperature')
    .describe('fitted on validation, and kept where it improves cross-validated log loss'),
  test: z
    .boolean()
    .default(true)
    .describe('judge the test split when training ends; false leaves it untouched'),
  replicates: z.int().min(0).default(1000).describe('of the bootstrap; 0 leaves intervals out'),
  confidence: z.number().gt(0).lt(1).default(0.95).describe('of the intervals'),
});

/** All fields of a configuration. */
export const configurationSchema = z.strictObject({
  data: dataFields,
  network: network.prefault({}),
  loss: loss.prefault({}),
  optimizer: optimizer.prefault({}),
  schedule: schedule.prefault({}),
  epochs: count.default(40).describe('how often all training images are seen'),
  batchSize: count.default(64).describe('images to an update of the weights'),
  accumulation: count.default(1).describe('cut each batch in so many parts, for less memory'),
  clipNorm: z.number().positive().nullable().default(1).describe('longest gradient; null for no limit'),
  averageDecay: share.lt(1).optional().describe('judge an exponential moving average of the weights (EMA)'),
  augmentation: z
    .union([z.enum(['auto', 'photograph', 'x-ray', 'none']), augmentationParts])
    .default('auto')
    .describe('auto: as the dataset says; or an object of parts'),
  precision: z
    .enum(['auto', 'float32', 'bfloat16', 'float16'])
    .default('auto')
    .describe('auto: bfloat16 on CUDA, float32 on the CPU'),
  device: z
    .string()
    .regex(/^(auto|cpu|cuda(:\d+)?)$/, 'expected auto, cpu, cuda or cuda:N')
    .default('auto')
    .describe('auto: a GPU where there is one'),
  threads: count.optional().describe('of the CPU; default one a core'),
  seed: z.int().min(0).default(0).describe('of weights, order and augmentation'),
  deterministic: z.boolean().default(false).describe('the same bits every time, also on a GPU; slower'),
  cudnnBenchmark: z
    .boolean()
    .default(true)
    .describe(
      'try the ways to compute each convolution at the first steps on a GPU: costs seconds, faster from then on',
    ),
  bestBy: z.enum(bestMetrics).default('mAP').describe('which epoch is the result'),
  patience: count.optional().describe('stop after so many epochs without a better one'),
  checkpoints: checkpoints.prefault({}),
  evaluation: evaluation.prefault({}),
});

/** What a user writes: everything but `data.dataset` may be left out. */
export type ConfigurationInput = z.input<typeof configurationSchema>;

/** Every field with its value. */
export type Configuration = z.output<typeof configurationSchema>;
