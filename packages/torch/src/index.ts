// libtorch for TypeScript.

export {
  type AutocastOptions,
  autocast,
  enableGrad,
  type GradOptions,
  grad,
  isGradEnabled,
  noGrad,
} from './autograd.js';
export { EngineError } from './builds/engine.js';
export * from './creation.js';
export * from './cuda/index.js';
export * as distributed from './distributed/index.js';
export { type Device, type Dtype, dtypes, type MemoryFormat, type TypedArray } from './dtype.js';
export { type Index, type Slice, slice } from './indexing.js';
export { keep, liveTensors, tidy } from './memory.js';
export { isEngineLoaded, type Scalar } from './native.js';
export * as nn from './nn/index.js';
export { hasOperator } from './operator.js';
export {
  bernoulli,
  cat,
  einsum,
  emptyLike,
  fullLike,
  multinomial,
  onesLike,
  randLike,
  randnLike,
  stack,
  where,
  zerosLike,
} from './operators.generated.js';
export * as optim from './optim/index.js';
export { type RecordedCall, RecordedTensor, type RecordedValue } from './recordedCall.js';
export { type Recording, type RecordOptions, recordCalls } from './recording.js';
export { type RegisteredValue, registeredOperator } from './registered.js';
export * from './runtime.js';
export * from './serialization/index.js';
export { type Conversion, type NestedArray, Tensor } from './tensor.js';
export * from './weights.js';
