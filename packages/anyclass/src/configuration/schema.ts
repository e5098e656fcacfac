// The configuration of a run: one schema defines its types, defaults, validation and reference page.

import { z } from 'zod';
import { bestMetrics } from '../events/bestMetric.js';
import { logKinds } from '../events/logKind.js';
import { lossNames } from '../losses/lossNames.js';
import { familyOptions, networkNames } from '../networks/catalog.js';
import { headNames } from '../networks/layers/classHead.js';
import { tilingFields } from '../networks/layers/tilingFields.js';
import { augmentationParts } from './augmentationFields.js';
import { dataFields } from './dataFields.js';
import { decisionFields } from './decisionFields.js';
import { mixingFields } from './mixingFields.js';
import { samplingFields } from './samplingFields.js';
import { teacherFields } from './teacherFields.js';

const count = z.int().positive();
const share = z.number().min(0).max(1);

const networkParts = z.strictObject({
  name: z.enum(networkNames).default('tresnet-m').describe('the network'),
  inputSize: z
    .union([count, z.enum(['fit', 'small'])])
    .default(224)
    .describe(
      'height and width of the images in pixels, or `fit`: what fits the images and the network, or `small`: the least that does, for training on a CPU; with weights, theirs is the default',
    ),
  head: z
    .enum(headNames)
    .optional()
    .describe(
      'the last layer: linear, one small network per class (experts), or one that looks at the cells of the map',
    ),
  mirror: z
    .boolean()
    .optional()
    .describe('predict from each image and its mirror image, at twice the cost; part of the model'),
  tiles: tilingFields.optional(),
  ...familyOptions.shape,
  weights: z
    .string()
    .optional()
    .describe(
      'start from these: a name (`timm/…`, `torchvision/…`), `hf:OWNER/NAME@REVISION[:FILE]`, an https address with `#sha256=…`, a file or a run',
    ),
  freezeTrunk: z.boolean().default(false).describe('train only the last layer'),
  frozenEpochs: z
    .int()
    .min(0)
    .default(0)
    .describe('train only the last layer for this many epochs, then everything'),
  frozenStages: z
    .int()
    .min(0)
    .default(0)
    .describe('first stages that never train: 1 is the stem, 2 the stem and the stage after it'),
  trunkRate: z
    .number()
    .min(0)
    .default(1)
    .describe("the trunk's learning rate as a fraction of the last layer's"),
  layerRate: z
    .number()
    .positive()
    .default(1)
    .describe(
      "the first layer's learning rate as a fraction of the trunk's last, with equal ratios in between; 1 for one rate",
    ),
});

const network = networkParts.refine(({ freezeTrunk, frozenEpochs }) => !freezeTrunk || frozenEpochs === 0, {
  path: ['frozenEpochs'],
  message: 'expected 0 if network.freezeTrunk is true, which freezes the trunk for all epochs',
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
    .describe('ASL: lower the probabilities of absent classes by this'),
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
  name: z.enum(['sgd', 'adamw']).default('adamw').describe('the optimizer'),
  rate: z
    .number()
    .positive()
    .max(3e38)
    .optional()
    .describe('learning rate; default 0.1 for sgd, 0.001 for adamw'),
  weightDecay: z.number().min(0).optional().describe('weight decay; default 0.0001 for sgd, 0.05 for adamw'),
  decayNorms: z.boolean().default(true).describe('decay biases and the scales of norms too'),
  momentum: share.default(0.9).describe('sgd: momentum'),
  nesterov: z.boolean().default(false).describe('sgd: Nesterov momentum'),
  betas: z.tuple([share, share]).default([0.9, 0.999]).describe('adamw: decay rates of the two moments'),
});

const schedule = z.strictObject({
  name: z.enum(['constant', 'steps', 'cosine']).default('cosine').describe('learning rate schedule'),
  every: z
    .enum(['epoch', 'step'])
    .default('epoch')
    .describe('how often the rate changes; step: smoothly, which short runs gain from'),
  milestones: z.array(count).default([]).describe('steps: epochs after which the rate is multiplied'),
  factor: z.number().positive().default(0.1).describe('steps: the multiplier'),
  firstCycle: count.optional().describe('cosine: epochs until the first restart; default all epochs'),
  cycleFactor: count.default(1).describe('cosine: length of each cycle relative to the previous one'),
  floor: z.number().min(0).default(0).describe('cosine: the minimum rate'),
  warmUpEpochs: z.int().min(0).default(0).describe('epochs of linear warm-up before the schedule'),
  warmUpFactor: share.default(0.01).describe('fraction of the rate at which the warm-up starts'),
});

const checkpoints = z.strictObject({
  everyMinutes: z.number().positive().default(15).describe('minutes between checkpoints within an epoch'),
  keep: count.default(2).describe('number of recent checkpoints to keep'),
  best: z
    .array(z.enum(bestMetrics))
    .default([])
    .describe('keep the best weights by each of these metrics too'),
  keepFinished: z
    .boolean()
    .default(false)
    .describe('keep the checkpoints after the run has finished; the best weights are kept anyway'),
});

const evaluation = z.strictObject({
  batchSize: count.optional().describe('images per batch; default that of training'),
  decision: decisionFields.prefault({}),
  calibration: z
    .enum(['temperature', 'platt', 'none'])
    .default('temperature')
    .describe('fitted on validation; kept if it improves cross-validated log loss'),
  test: z
    .boolean()
    .default(true)
    .describe('evaluate the test split when training ends; false leaves it untouched'),
  replicates: z
    .int()
    .min(0)
    .default(1000)
    .describe(
      'bootstrap replicates; 0 disables intervals; at most 100 with more than 1,000 classes, fewer than 1,000 with more than 10 million labels',
    ),
  confidence: z.number().gt(0).lt(1).default(0.95).describe('confidence of the intervals'),
  guard: z
    .number()
    .gt(0.5)
    .max(1)
    .nullable()
    .default(null)
    .describe(
      'send odd images to review instead of clearing them: those outside what this share of validation keeps in brightness, contrast, color, and distance to the training images, such as 0.995; null for no guard',
    ),
});

/** All fields of a configuration. */
export const configurationSchema = z.strictObject({
  data: dataFields,
  network: network.prefault({}),
  loss: loss.prefault({}),
  optimizer: optimizer.prefault({}),
  schedule: schedule.prefault({}),
  epochs: count.default(40).describe('passes over the training images'),
  sizes: z
    .union([z.literal('progressive'), z.array(z.strictObject({ epoch: count, size: count }))])
    .default([])
    .describe(
      'the size of training images from an epoch on; otherwise, and for validation, network.inputSize. progressive: 60%, 80% and all of it, a third of the epochs each',
    ),
  batchSize: count.default(64).describe('images per weight update'),
  accumulation: count.default(1).describe('split each batch into this many parts to save memory'),
  margins: z
    .boolean()
    .default(true)
    .describe(
      'record the mean logit of every training label, so that an inspection with the run can find wrong ones',
    ),
  clipNorm: z.number().positive().nullable().default(1).describe('maximum gradient norm; null for no limit'),
  averageDecay: share
    .lt(1)
    .optional()
    .describe('evaluate an exponential moving average (EMA) of the weights with this decay'),
  augmentation: z
    .union([z.enum(['auto', 'crops', 'photograph', 'x-ray', 'none']), augmentationParts])
    .default('auto')
    .describe("auto: the dataset's default; crops: what the recipe `strong` uses; or an object of parts"),
  mixing: mixingFields.prefault({}),
  tileLabels: z
    .enum(['auto', 'boxes', 'image'])
    .default('auto')
    .describe(
      'what the tiles of network.tiles learn from: boxes of objects, the labels of whole images, or auto: boxes if the data has them',
    ),
  plainEpochs: z
    .int()
    .min(0)
    .default(0)
    .describe('train the last epochs without augmentation, except flips, and without mixing'),
  sampling: samplingFields.prefault({}),
  teacher: teacherFields.optional(),
  precision: z
    .enum(['auto', 'float32', 'bfloat16', 'float16'])
    .default('auto')
    .describe('auto: bfloat16 on CUDA, float32 on the CPU'),
  device: z
    .string()
    .regex(/^(auto|cpu|cuda(:\d+)?)$/, 'expected auto, cpu, cuda or cuda:N')
    .default('auto')
    .describe('auto: a GPU if there is one'),
  threads: count.optional().describe('CPU threads; default one per core'),
  seed: z.int().min(0).default(0).describe('seed of weights, order and augmentation'),
  deterministic: z.boolean().default(false).describe('bit-for-bit reproducible, on a GPU too; slower'),
  cudnnBenchmark: z
    .boolean()
    .default(true)
    .describe(
      'let cuDNN benchmark convolution algorithms in the first steps on a GPU: costs seconds, then runs faster',
    ),
  bestBy: z.enum(bestMetrics).default('mAP').describe('metric that chooses the best epoch'),
  finalWeights: z
    .enum(['best', 'last'])
    .default('best')
    .describe(
      'weights of the model: best of all epochs by bestBy, or last, which chooses nothing on validation and so leaves more to promise there',
    ),
  patience: count.optional().describe('stop after this many epochs without improvement'),
  checkpoints: checkpoints.prefault({}),
  log: z
    .array(z.enum(logKinds))
    .default([])
    .describe(
      'logs for other programs: csv (log.csv, a line per epoch), tensorboard (event files in tensorboard/), mlflow (the server that MLFLOW_TRACKING_URI names)',
    ),
  evaluation: evaluation.prefault({}),
});

/** What a user writes: everything except `data.dataset` is optional. */
export type ConfigurationInput = z.input<typeof configurationSchema>;

/** Every field with its value. */
export type Configuration = z.output<typeof configurationSchema>;
