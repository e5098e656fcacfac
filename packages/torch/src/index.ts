// libtorch for TypeScript.

export {
  type AutocastOptions,
  autocast,
  enableGrad,
  type GradOptions,
  grad,
  isGradEnabled,
  noGrad,
} from './autograd/autograd.js';
export { EngineError } from './builds/engine.js';
export * from './cuda/index.js';
export * as distributed from './distributed/index.js';
export { type Device, type Dtype, dtypes, type MemoryFormat, type TypedArray } from './native/dtype.js';
export { isEngineLoaded, type Scalar } from './native/native.js';
export { hasOperator } from './native/operator.js';
export * as nn from './nn/index.js';
export * from './operators/creation.js';
export { type RecordedCall, RecordedTensor, type RecordedValue } from './operators/recordedCall.js';
export { type Recording, type RecordOptions, recordCalls } from './operators/recording.js';
export { type RegisteredValue, registeredOperator } from './operators/registered.js';
export * as optim from './optim/index.js';
export * from './runtime/runtime.js';
export * from './serialization/index.js';
export { type Index, type Slice, slice } from './tensor/indexing.js';
export { keep, liveTensors, tidy } from './tensor/memory.js';
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
} from './tensor/operators.generated.js';
export { type Conversion, type NestedArray, Tensor } from './tensor/tensor.js';
export * from './weights/weights.js';
