// Files that are complete or absent, whatever happens while they are written, and locks between processes. Uses Node's
// own modules only.

export { createWhole } from './files/createWhole.js';
export {
  type DraftOptions,
  discardQuietly,
  draftFile,
  type FileDraft,
  isSpecialFile,
  syncFolder,
  writeFileAtomically,
} from './files/draft.js';
export { homeFolder } from './files/home.js';
export { isPartial, partialPath, temporaryFolder } from './files/leftovers.js';
export {
  errorCode,
  FileError,
  type FileErrorOptions,
  fileProblem,
  isSystemError,
  namedError,
  remedyOf,
  withPath,
} from './files/problem.js';
export { LockedError, takeLock } from './locks/exclusiveLock.js';
export { type Holder, isAlive, lockAt, thisProcess } from './locks/holder.js';
export { isLocked } from './locks/pulse.js';
export {
  type SharedLock,
  type SharedLockOptions,
  takeSharedLock,
  withSharedLock,
} from './locks/sharedLock.js';
