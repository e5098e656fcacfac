import { addTerms } from './addTerms.js';
import { assembleModule } from './assembler.js';
import { describeRows } from './describeRows.js';

/** The module: `describeRows`, the first pass, and `addTerms_…`, the second, for each way of focusing. */
export function lossKernelBytes(): Uint8Array<ArrayBuffer> {
  return assembleModule([describeRows, addTerms('none'), addTerms('square'), addTerms('power')]);
}
