// Which operators a function calls, with which values: for those who write a computation down in another form. Every
// operator passes through the addon, so that is where they are seen.

import { CallRecord } from './callRecord.js';
import { refusePromise } from './memory.js';
import { interposed } from './native.js';
import type { RecordedCall, RecordedTensor } from './recordedCall.js';
import { place, type Tensor } from './tensor.js';

export interface RecordOptions {
  /** What constants are called: a module's state dict. */
  readonly names?: Iterable<readonly [string, Tensor]>;
  /** Hears of every call as it happens. */
  readonly onCall: (call: RecordedCall) => void;
}

/** The inputs and what the function returned, as values of the calls. Constants live until it is disposed of. */
export interface Recording extends Disposable {
  readonly inputs: readonly RecordedTensor[];
  readonly outputs: readonly RecordedTensor[];
}

/**
 * Runs a function and reports every operator that it calls with something that depends on `inputs`. What does not depend on
 * them is computed and reported as constants. Shapes may be read; values that depend on the inputs may not.
 *
 * @throws Error where a recording could not tell what the function does: it reads values, or it reads memory through one
 * tensor that it has overwritten through another
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
