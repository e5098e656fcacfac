// Loads onnxruntime-node, an optional dependency that is not installed with this package.

import type { InferenceSession, Tensor } from 'onnxruntime-node';
import { reasonOf } from '../../errors/reasonOf.js';
import { UserError } from '../../errors/userError.js';
import type { SessionOptions } from './sessionOptions.js';

/** The parts that we use. */
export interface OnnxRuntime {
  readonly InferenceSession: typeof InferenceSession;
  readonly Tensor: typeof Tensor;
}

/**
 * Returns the runtime, or why it is not available.
 *
 * @example
 * const { runtime, problem } = await findOnnxRuntime();
 */
export async function findOnnxRuntime(): Promise<
  | { readonly runtime: OnnxRuntime; readonly problem?: undefined }
  | { readonly runtime?: undefined; readonly problem: string }
> {
  try {
    return { runtime: await import('onnxruntime-node') };
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND';
    // Its install script only downloads CUDA libraries, which the CPU does not need.
    const remedy = "run 'npm install --ignore-scripts onnxruntime-node'";
    return {
      problem: isMissing
        ? `onnxruntime-node is not installed; ${remedy}`
        : `onnxruntime-node could not be loaded: ${reasonOf(error)}; ${remedy} again`,
    };
  }
}

/**
 * Opens an ONNX file on the CPU.
 *
 * @throws UserError if there is no runtime or it refuses the file
 *
 * @example
 * const { session } = await openSession('model.onnx');
 * session.outputNames // ['logits', 'probabilities', 'presence_score']
 */
export async function openSession(
  path: string,
  { spins = true }: SessionOptions = {},
): Promise<{ readonly runtime: OnnxRuntime; readonly session: InferenceSession }> {
  const { runtime, problem } = await findOnnxRuntime();
  if (!runtime) throw new UserError(`${path} cannot be opened: ${problem}`);
  try {
    // Convert weights stored as integers to floats once, not in every run.
    const extra = {
      session: { disable_quant_qdq: '1', ...(!spins && { intra_op: { allow_spinning: '0' } }) },
    };
    const session = await runtime.InferenceSession.create(path, { executionProviders: ['cpu'], extra });
    return { runtime, session };
  } catch (error) {
    throw new UserError(`${path} cannot be opened: ${reasonOf(error)}`, { cause: error });
  }
}
