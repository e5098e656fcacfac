// Files that are complete or absent, whatever happens while they are written, and locks between processes. Uses Node's
// own modules only, so programs that never touch a tensor can import it as '@anyclass/torch/files'.

export { createWhole } from './createWhole.js';
export {
  type DraftOptions,
  discardQuietly,
  draftFile,
  type FileDraft,
  isSpecialFile,
  syncFolder,
  writeFileAtomically,
} from './draft.js';
export {
  errorCode,
  FileError,
  fileProblem,
  isSystemError,
  namedError,
  remedyOf,
  withPath,
} from './problem.js';
export { type Holder, isAlive, parseHolder, thisProcess } from './process.js';
export { type SharedLock, type SharedLockOptions, takeSharedLock } from './sharedLock.js';
export { WeightFileError } from './weightFileError.js';
