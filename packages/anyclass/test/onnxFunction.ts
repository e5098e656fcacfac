// Functions of tensors as ONNX models, run in onnxruntime.

import { nn, type Tensor, tidy } from '@anyclass/torch';
import { InferenceSession, Tensor as OnnxTensor } from 'onnxruntime-node';
import type { Graph } from '../src/export/onnx/graph/graph.js';
import { simplify } from '../src/export/onnx/graph/simplify.js';
import { traceModule } from '../src/export/onnx/graph/trace.js';
import { dimension } from '../src/export/onnx/modelOutputs.js';
import { modelProto } from '../src/export/onnx/modelProto.js';
import { translate } from '../src/export/onnx/translate/translate.js';

/** A module that computes a function of images. */
export class FunctionModule extends nn.Module {
  readonly parts: readonly nn.Module[];
  readonly #compute: (images: Tensor) => Tensor;

  constructor(compute: (images: Tensor) => Tensor, parts: readonly nn.Module[] = []) {
    super();
    this.#compute = compute;
    this.parts = parts;
  }

  forward(images: Tensor): Tensor {
    return this.#compute(images);
  }
}

/** The bytes of an ONNX model that computes a function of images. */
export function onnxBytes(
  compute: (images: Tensor) => Tensor,
  inputShape: readonly [number, number, number],
): Uint8Array {
  using trace = traceModule(new FunctionModule(compute), { inputShape });
  const builder = translate(trace, 'x');
  const [output] = trace.outputs;
  // Functions may return their input.
  const result = builder.node('Identity', [builder.valueOf(output!)]);
  const nodes = simplify(builder.nodes, new Map([[result, 'y']]));
  const type = output!.dtype === 'bool' ? 'bool' : output!.dtype === 'int64' ? 'int64' : 'float32';
  return graphBytes({
    name: 'function',
    inputs: [{ name: 'x', type: 'float32', shape: trace.input.shape.map(dimension) }],
    outputs: [{ name: 'y', type, shape: output!.shape.map(dimension) }],
    nodes,
    initializers: builder.initializers,
  });
}

/** A graph as the bytes of an ONNX file. */
export function graphBytes(graph: Graph): Uint8Array {
  const proto = modelProto({ graph, producer: { name: 'test', version: '1' }, metadata: {} });
  const parts: Uint8Array[] = [];
  proto.writeTo((bytes) => parts.push(bytes.slice()));
  return Buffer.concat(parts);
}

/** The output of a model for images in onnxruntime. */
export async function runOnnx(
  model: Uint8Array,
  images: Tensor,
): Promise<{ readonly shape: readonly number[]; readonly values: readonly number[] }> {
  const session = await InferenceSession.create(model);
  try {
    const x = new OnnxTensor('float32', images.toFloat32Array(), [...images.shape]);
    const outputs = await session.run({ x });
    const y = outputs[session.outputNames[0]!]!;
    return { shape: y.dims, values: Array.from(y.data, Number) };
  } finally {
    await session.release();
  }
}

/** The output of a function in libtorch. */
export function runTorch(compute: (images: Tensor) => Tensor, images: Tensor) {
  return tidy(() => {
    const y = compute(images);
    return { shape: y.shape, values: Array.from(y.toFloat32Array()) };
  });
}
