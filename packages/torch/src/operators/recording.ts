// Records which operators a function calls, and with which arguments, so that exporters can write the computation in
// another format. Every operator passes through the addon, so calls are observed there.

import { interposed } from '../native/native.js';
import { place } from '../tensor/handle.js';
import { refusePromise } from '../tensor/memory.js';
import type { Tensor } from '../tensor/tensor.js';
import { CallRecord } from './callRecord.js';
import type { RecordedCall, RecordedTensor } from './recordedCall.js';

export interface RecordOptions {
  /** Names of constants, usually a module's state dict. */
  readonly names?: Iterable<readonly [string, Tensor]>;
  /** Called with every call as it happens. */
  readonly onCall: (call: RecordedCall) => void;
}

/** The function's inputs and outputs, as values in the calls. Constants live until the recording is disposed of. */
export interface Recording extends Disposable {
  readonly inputs: readonly RecordedTensor[];
  readonly outputs: readonly RecordedTensor[];
}

/**
 * Runs a function and reports every operator that it calls with a value that depends on `inputs`. Everything else is
 * computed and reported as constants. The function may read shapes, but not values that depend on the inputs.
 *
 * @throws Error if the recording would be wrong: the function reads values that depend on the inputs, or it reads
 * memory through one tensor that it has overwritten through another
 *
 * @example
 * const calls: RecordedCall[] = [];
 * using recording = recordCalls([x], () => [x.mul(2).relu()], { onCall: (call) => calls.push(call) });
 * calls.map(({ operator }) => operator) // ['aten::mul.Scalar', 'aten::relu']
 */
export function recordCalls(
  inputs: readonly Tensor[],
  fn: () => readonly Tensor[],
  { names = [], onCall }: RecordOptions,
): Recording {
  const nameOf = new Map(Array.from(names, ([name, tensor]) => [place(tensor, 'recordCalls'), name]));
  let record: CallRecord | undefined;
  try {
    return interposed(
      (addon) => {
        record = new CallRecord(addon, nameOf, onCall);
        return record.replacements();
      },
      () => {
        const recorded = inputs.map((input) => record!.introduce(place(input, 'recordCalls')));
        const returned = fn();
        refusePromise(returned, 'recordCalls');
        const outputs = returned.map((output) => record!.valueOf(place(output, 'recordCalls'), 'returning'));
        return { inputs: recorded, outputs, [Symbol.dispose]: () => record!.dispose() };
      },
    );
  } catch (error) {
    record?.dispose();
    throw error;
  }
}
