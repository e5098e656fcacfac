import type { optim } from '@anyclass/torch';
import type { Ranks } from '../distribution/ranks.js';
import type { ComputeSettings } from '../inference/computeDevice.js';
import type { AnyClassLossOptions } from '../losses/lossOptions.js';
import type { Network } from '../networks/network.js';
import type { AveragedWeights } from './averagedWeights.js';

/** What a training step works with. */
export interface StepParts {
  readonly network: Network;
  readonly optimizer: optim.Optimizer;
  readonly scaler: optim.GradScaler;
  readonly loss: AnyClassLossOptions & { readonly reduction?: 'batch' | 'mean' };
  readonly settings: ComputeSettings;
  /** Images per step in this process. */
  readonly batchSize: number;
  /** Number of parts that a batch is split into. */
  readonly accumulation: number;
  readonly clipNorm: number | null;
  readonly average?: AveragedWeights | undefined;
  /** The processes that share a batch. */
  readonly ranks?: Ranks | undefined;
}
