// onnxruntime-web: on the GPU if the browser and the model allow it, otherwise on the CPU.

import type { Env, InferenceSession, Tensor } from 'onnxruntime-web';
import type { ExportedModel } from './exportedModel.js';

/** The parts of onnxruntime-web that we use. */
export interface OnnxRuntime {
  readonly InferenceSession: Pick<typeof InferenceSession, 'create'>;
  readonly Tensor: typeof Tensor;
  readonly env: Env;
}

export type Backend = 'webgpu' | 'wasm';

export interface OpenedSession {
  readonly session: InferenceSession;
  readonly backend: Backend;
  /** Why preferred backends are not used. */
  readonly remarks: readonly string[];
}

/**
 * Opens a model on the first of the backends that works.
 *
 * @throws Error with every backend's reason if none works
 *
 * @example
 * const { session, backend } = await openSession(runtime, bytes, model, ['webgpu', 'wasm']);
 */
export async function openSession(
  runtime: OnnxRuntime,
  bytes: Uint8Array,
  model: ExportedModel,
  backends: readonly Backend[],
): Promise<OpenedSession> {
  const remarks: string[] = [];
  for (const backend of backends) {
    const problem = backend === 'webgpu' ? await webgpuProblem(model) : undefined;
    if (problem !== undefined) {
      remarks.push(`WebGPU: ${problem}`);
      continue;
    }
    try {
      const session = await runtime.InferenceSession.create(bytes, {
        executionProviders: [backend],
        // Integer weights are converted to floats once, not in every run.
        extra: { session: { disable_quant_qdq: '1' } },
        logSeverityLevel: 3,
      });
      await tryOut(runtime, session, model);
      return { session, backend, remarks };
    } catch (error) {
      remarks.push(`${backend === 'webgpu' ? 'WebGPU' : 'WebAssembly'}: ${messageOf(error)}`);
    }
  }
  throw new Error(`no backend can run the model: ${remarks.join('; ')}`);
}

/** The first run compiles the shaders, which may fail. */
async function tryOut(runtime: OnnxRuntime, session: InferenceSession, { preprocessing }: ExportedModel) {
  const { width, height } = preprocessing;
  const black = new runtime.Tensor('float32', new Float32Array(3 * width * height), [1, 3, height, width]);
  await session.run({ pixel_values: black });
}

async function webgpuProblem({ precision }: ExportedModel): Promise<string | undefined> {
  const adapter = await findAdapter();
  if (!adapter) return 'not available in this browser';
  if (precision === 'float16' && !adapter.features.has('shader-f16'))
    return 'this GPU does not support float16';
  return undefined;
}

interface Adapter {
  readonly features: ReadonlySet<string>;
}

/** TypeScript's DOM types lack WebGPU. */
interface WebGpu {
  requestAdapter(): Promise<Adapter | null>;
}

/**
 * Returns the WebGPU adapter; undefined if there is none.
 *
 * @example
 * (await findAdapter())?.features.has('shader-f16') // true
 */
export async function findAdapter(): Promise<Adapter | undefined> {
  const { gpu }: { gpu?: WebGpu } = navigator;
  try {
    return (await gpu?.requestAdapter()) ?? undefined;
  } catch {
    return undefined;
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
