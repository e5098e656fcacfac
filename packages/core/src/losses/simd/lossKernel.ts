import { addTerms } from './addTerms.js';
import { assembleModule } from './assembler.js';
import { describeRows } from './describeRows.js';
import { termKinds } from './vectorTerm.js';

/** Returns the module's bytes: `describeRows`, the first pass, and `addTerms_…`, the second, for each kind of term. */
export function lossKernelBytes(): Uint8Array<ArrayBuffer> {
  return assembleModule([describeRows, ...termKinds.map(addTerms)]);
}
