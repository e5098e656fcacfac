// Downloads that resume, are verified as they arrive, and leave a complete file or none.

export { type Checksum, checksumOfTag, fileHash } from './checksum.js';
export { DownloadError, type ServerAnswer, TemporaryProblem } from './problems.js';
export { type Request, request, waitAskedFor } from './request.js';
export { defaultPatience, type Patience, type RetryOptions, retrying } from './retrying.js';
export { partialEnding, removePartial, type Transfer, transfer } from './transfer.js';
