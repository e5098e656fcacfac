// Weight files: reads and writes safetensors, and reads PyTorch checkpoints. Nothing here needs libtorch.

export {
  type CheckpointValue,
  isSkippedObject,
  isStoredTensor,
  type SkippedObject,
} from './checkpointValue.js';
export { CheckpointError, SafetensorsError, WeightFileError } from './errors.js';
export {
  type PytorchCheckpoint,
  type ReadCheckpointOptions,
  readPytorchCheckpoint,
} from './pytorchCheckpoint.js';
export {
  type ReadSafetensorsOptions,
  readSafetensors,
  readSafetensorsHeader,
  type SafetensorsEntry,
  type SafetensorsFile,
  type SafetensorsHeader,
  type SafetensorsVisitor,
  verifySafetensors,
  visitSafetensors,
  type WriteSafetensorsOptions,
  writeSafetensors,
} from './safetensors.js';
export { type FindStateDictOptions, findStateDict, type StateDict } from './stateDict.js';
export { elementBytes, type StoredDType, type StoredTensor, storedDTypes } from './storedTensor.js';
