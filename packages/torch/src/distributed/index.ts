// Several processes that compute together, using libtorch's process groups.

export { asDistributedError, DistributedError } from './distributedError.js';
export { type LaunchEnvironment, launchEnvironment } from './environment.js';
export { GradientBuckets, type GradientBucketsOptions } from './gradientBuckets.js';
export {
  type BackendName,
  type DistributedStatus,
  distributedStatus,
  type InitOptions,
  init,
} from './init.js';
export { ProcessGroup, type ReduceOperation, type ReduceOptions } from './processGroup.js';
export type { Work } from './work.js';
