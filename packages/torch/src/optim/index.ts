// Optimizers, gradient clipping and scaling, and learning rate schedules.

export { AdamW, type AdamWGroupOptions, type AdamWOptions, type AdamWState } from './adamw.js';
export { type ClipOptions, clipGradNorm_ } from './clip.js';
export {
  GradScaler,
  type GradScalerOptions,
  type GradScalerState,
  type ScaledOptimizer,
} from './gradScaler.js';
export {
  type Bucket,
  Optimizer,
  type OptimizerState,
  type ParameterState,
  type SavedGroup,
  type StepOptions,
} from './optimizer.js';
export type { RawOptions } from './options.js';
export type { GroupInput, GroupOptions, ParameterGroup, ParametersInput } from './parameterGroup.js';
export { type RatedOptimizer, Scheduler, type SchedulerState } from './scheduler.js';
export {
  type CosineWarmRestartsOptions,
  cosineWarmRestarts,
  type LinearWarmUpOptions,
  linearWarmUp,
  type MultiStepOptions,
  multiStep,
  type Schedule,
  sequence,
} from './schedules.js';
export { SGD, type SGDGroupOptions, type SGDOptions, type SGDState } from './sgd.js';
