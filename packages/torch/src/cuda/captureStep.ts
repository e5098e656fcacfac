// A whole training step as one CUDA graph: the GPU replays hundreds of kernels without the CPU launching each.

import { setAutocastCacheAllowed } from '../autograd/autograd.js';
import { native } from '../native/native.js';
import { keep, tidy } from '../tensor/memory.js';
import { emptyLike, zeros } from '../tensor/operators.generated.js';
import type { Tensor } from '../tensor/tensor.js';
import { cudaSynchronize, emptyCudaCache, hasCuda } from './device.js';
import { CudaEvent, CudaStream } from './stream.js';

export interface CaptureOptions {
  /** Calls that run as usual before one is captured, so that libraries choose their algorithms and buffers exist. */
  readonly warmUp?: number;
}

/**
 * Captures a function of tensors after its first calls and replays it from then on. Every call runs the function exactly
 * once, before the capture and after it. Without CUDA, or if an input is not on a GPU, it simply calls the function.
 *
 * The function gets tensors of the same shapes each time, does all its work on the GPU and reads nothing back (no
 * `item()`, no `toTypedArray()`). What it returns stays valid until the next call.
 *
 * @example
 * const step = captureStep((images, targets) => {
 *   optimizer.zeroGrad();
 *   const loss = autocast(() => criterion(network.forward(images), targets), { device: 'cuda' });
 *   loss.backward();
 *   clipGradNorm_(parameters, 1);
 *   optimizer.step();
 *   return [loss.detach()];
 * });
 * for await (const { images, targets } of batches) const [loss] = step(images, targets);
 */
export function captureStep(
  fn: (...inputs: Tensor[]) => readonly Tensor[],
  { warmUp = 3 }: CaptureOptions = {},
): (...inputs: Tensor[]) => readonly Tensor[] {
  let calls = 0;
  let stream: CudaStream | undefined;
  let captured: Captured | undefined;
  return (...inputs) => {
    if (captured) return captured.replay(inputs);
    if (!hasCuda() || inputs.some((input) => !input.device.startsWith('cuda'))) return fn(...inputs);
    stream ??= new CudaStream();
    if (calls++ < warmUp) return onSideStream(stream, () => fn(...inputs));
    captured = new Captured(fn, inputs, stream);
    return captured.replay(inputs);
  };
}

class Captured {
  readonly #inputs: readonly Tensor[];
  readonly #graph: number;
  readonly #outputs: readonly Tensor[];

  constructor(fn: (...inputs: Tensor[]) => readonly Tensor[], inputs: readonly Tensor[], stream: CudaStream) {
    this.#inputs = inputs.map((input) => keep(emptyLike(input)));
    // A graph has its own memory pool, so what earlier calls left unused is released first.
    cudaSynchronize();
    emptyCudaCache();
    const { graph, outputs } = onSideStream(stream, () => record(() => fn(...this.#inputs)));
    this.#graph = graph;
    this.#outputs = outputs;
  }

  replay(inputs: readonly Tensor[]): readonly Tensor[] {
    this.#inputs.forEach((own, i) => {
      const given = inputs[i];
      if (
        !given ||
        given.shape.join() !== own.shape.join() ||
        given.dtype !== own.dtype ||
        inputs.length !== this.#inputs.length
      ) {
        const shapes = (tensors: readonly Tensor[]) =>
          tensors.map((tensor) => `${tensor.dtype}[${tensor.shape.join(', ')}]`).join(', ');
        throw new Error(
          `the step was captured with inputs ${shapes(this.#inputs)}, not ${shapes(inputs)}; capture another step for these`,
        );
      }
      own.copy_(given, true);
    });
    native.graphReplay(this.#graph);
    return this.#outputs;
  }
}

function record(fn: () => readonly Tensor[]): { graph: number; outputs: readonly Tensor[] } {
  const graph = native.graphBegin();
  // A weight cast before the capture would stay cached, and replays would never cast the updated weight.
  setAutocastCacheAllowed(false);
  try {
    const outputs = tidy(fn);
    for (const output of outputs) keep(output);
    native.graphEnd(graph);
    return { graph, outputs };
  } catch (error) {
    abandon(graph);
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(
      `the step cannot be captured (${reason}); move whatever reads values back or allocates outside libtorch out of it`,
      {
        cause: error,
      },
    );
  } finally {
    setAutocastCacheAllowed(true);
  }
}

// The capture may be broken already: then ending it throws as well, and only after that is the stream usable again. libtorch's random
// generator still waits for the broken graph to end and draws nothing; the end of any other graph releases it.
function abandon(graph: number): void {
  try {
    native.graphEnd(graph);
  } catch {
    const whole = native.graphBegin();
    tidy(() => void zeros([1], { device: 'cuda' }));
    native.graphEnd(whole);
    native.graphDispose(whole);
  } finally {
    native.graphDispose(graph);
  }
}

// The side stream first waits for the work in progress; the current stream then waits for the side stream.
function onSideStream<T>(stream: CudaStream, fn: () => T): T {
  using before = new CudaEvent().record();
  stream.waitFor(before);
  using after = new CudaEvent();
  const result = stream.run(() => {
    const value = fn();
    after.record();
    return value;
  });
  native.streamWaitCurrent(after.number);
  return result;
}
