// Exports a model as an ONNX file with everything needed to use it.

import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { draftFile, type FileDraft, fileProblem } from '@anyclass/files';
import type { nn } from '@anyclass/torch';
import { type ModelInput, takesFeatures } from '../../data/dataset/inputs.js';
import { UserError } from '../../errors/userError.js';
import { ownDecision } from '../../inference/modelDecision.js';
import { configPath, writeConfig } from '../../inference/onnx/exportConfig.js';
import {
  describeExport,
  exportMetadata,
  type OnnxDescription,
  type OnnxPrecision,
} from '../../inference/onnx/exportedModel.js';
import { findOnnxRuntime } from '../../inference/onnx/onnxRuntime.js';
import { refuseBrokenWeights } from '../../networks/brokenWeights.js';
import { foldBatchNorm, foldInPlace } from '../../networks/foldBatchNorm.js';
import { Network } from '../../networks/network.js';
import { loadModel, type ModelDescription, needsEmbeddings } from '../../runs/modelFile.js';
import { version } from '../../runs/version.js';
import { type CheckReport, checkExport, type Reference, referenceLogits } from './checkExport.js';
import type { Graph } from './graph/graph.js';
import type { ExtraOutput } from './modelOutputs.js';
import { modelProto } from './modelProto.js';
import { networkGraph } from './networkGraph.js';
import { inFloat16 } from './precision/float16.js';
import { inInt8 } from './precision/int8.js';
import {
  type JudgePrecisionOptions,
  judgePrecision,
  type PrecisionJudgment,
} from './precision/judgePrecision.js';

export interface WriteOnnxOptions {
  /**
   * File to write. config.json is written next to it; for sewer.onnx beside another model, which keeps its
   * config.json, sewer.config.json.
   */
  readonly out: string;
  /** Outputs to add to logits, probabilities and presence score. */
  readonly outputs?: readonly ExtraOutput[] | undefined;
  /** Outputs to add only if the network supports them. */
  readonly optionalOutputs?: readonly ExtraOutput[] | undefined;
}

export interface ExportOnnxOptions extends WriteOnnxOptions, JudgePrecisionOptions {
  /**
   * Default float32. `float16` and `int8` are evaluated on validation images and kept only if they predict as
   * well.
   */
  readonly precision?: OnnxPrecision | undefined;
}

export interface OnnxExport {
  readonly file: string;
  readonly config: string;
  readonly bytes: number;
  readonly model: OnnxDescription;
  readonly outputs: readonly string[];
  /**
   * The comparison of onnxruntime with libtorch; undefined if the file was not checked, for the reason in
   * `unchecked`.
   */
  readonly check: CheckReport | undefined;
  readonly unchecked: string | undefined;
  /** The evaluation of a lower precision. */
  readonly judgment?: PrecisionJudgment | undefined;
}

/**
 * Exports a model (its file, or its run folder) to ONNX: one file with weights, classes, preparation,
 * calibration and decision. If onnxruntime-node is installed, the file is run and kept only if its logits
 * match libtorch's.
 *
 * @example
 * const { check } = await exportOnnx('runs/sewer', { out: 'sewer.onnx' });
 * check?.largestError // 2.1e-7
 */
export async function exportOnnx(model: string, options: ExportOnnxOptions): Promise<OnnxExport> {
  configPath(options.out);
  const { network, description } = loadModel(model);
  let written: WrittenDraft;
  try {
    written = await writeDraft(foldInPlace(network), {
      ...options,
      description,
      inputSize: network.imageSize,
    });
  } finally {
    // Freed before the check, which needs the same amount of memory again.
    network.dispose();
  }
  const { precision = 'float32' } = options;
  return finish(written, options.out, async (file) =>
    precision === 'float32' ? undefined : judgePrecision(file, model, precision, options),
  );
}

/** The description of a network that was not trained by anyclass. */
export type NetworkDescription = Partial<Omit<ModelDescription, keyof ModelInput>> &
  Pick<ModelDescription, 'classes'> &
  ModelInput;

export interface ExportNetworkOptions extends WriteOnnxOptions {
  readonly description: NetworkDescription;
  /** Height and width of the images. Default: the network's own input size if it has one, otherwise 224. */
  readonly inputSize?: number;
  /** Default float32. Whether `float16` and `int8` predict as well is for you to evaluate; `exportOnnx` does it for a run. */
  readonly precision?: OnnxPrecision;
}

/**
 * Exports a network in memory: one of ours, or any module from images [batch, 3, size, size] or features
 * [batch, count] to logits [batch, classes].
 *
 * @example
 * const description = { classes: ['crack', 'roots'], channels: 3, mean: [0.5], std: [0.25] } as const;
 * await exportNetwork(new MyNetwork(), { description, inputSize: 64, out: 'mine.onnx' });
 */
export async function exportNetwork(network: nn.Layer, options: ExportNetworkOptions): Promise<OnnxExport> {
  configPath(options.out);
  const { description, out } = options;
  refuseBrokenWeights(network, 'the network');
  const complete = { epoch: 0, loss: '', dataset: '', ...description };
  if (network instanceof Network) {
    using folded = foldBatchNorm(network);
    const { inputSize = network.imageSize } = options;
    return finish(await writeDraft(folded, { ...options, description: complete, inputSize }), out);
  }
  const { training } = network;
  network.eval();
  try {
    const { inputSize = 224 } = options;
    return await finish(await writeDraft(network, { ...options, description: complete, inputSize }), out);
  } finally {
    network.train(training);
  }
}

interface DraftOptions extends WriteOnnxOptions {
  readonly precision?: OnnxPrecision | undefined;
  readonly description: ModelDescription;
  readonly inputSize: number;
}

interface WrittenDraft {
  readonly draft: FileDraft;
  readonly bytes: number;
  readonly model: OnnxDescription;
  readonly outputs: readonly string[];
  readonly reference: Reference | undefined;
  readonly unchecked: string | undefined;
}

/** Writes the file under a temporary name, and computes the logits to check it against. */
async function writeDraft(network: nn.Layer, options: DraftOptions): Promise<WrittenDraft> {
  const { inputSize, out, optionalOutputs, precision = 'float32' } = options;
  const description = withoutMissingParts(network, options.description);
  const { outputs = [] } = options;
  const decision = ownDecision(description);
  const { calibration } = description;
  const inputShape = takesFeatures(description) ? [description.features.length] : [3, inputSize, inputSize];
  const { problem } = await findOnnxRuntime();
  if (problem !== undefined && precision !== 'float32')
    throw new UserError(`${precision} cannot be evaluated: ${problem}`);
  const reference = problem === undefined ? referenceLogits(network, inputShape) : undefined;
  using exported = networkGraph(network, {
    inputShape,
    calibration,
    // A guard needs it.
    outputs: needsEmbeddings(description) ? [...new Set([...outputs, 'embedding' as const])] : outputs,
    optionalOutputs,
  });
  const graph = inPrecision[precision](exported.graph);
  const model = describeExport({ ...description, decision }, { network: graph.name, inputSize, precision });
  const proto = modelProto({
    graph,
    producer: { name: 'anyclass', version: version() },
    metadata: exportMetadata(model),
  });
  mkdirSync(dirname(out), { recursive: true });
  const draft = draftFile(out, { ending: '.onnx' });
  try {
    proto.writeTo(draft.write);
  } catch (error) {
    draft.discard();
    throw new UserError(`${out} cannot be written: ${fileProblem(error)}`);
  }
  const outputNames = graph.outputs.map(({ name }) => name);
  return { draft, bytes: proto.length, model, outputs: outputNames, reference, unchecked: problem };
}

/** A module of another program has no embedding, so its guard judges by pixels alone. */
function withoutMissingParts(network: nn.Layer, description: ModelDescription): ModelDescription {
  const { guard } = description;
  return guard && !(network instanceof Network)
    ? { ...description, guard: { ...guard, training: null } }
    : description;
}

const inPrecision: Readonly<Record<OnnxPrecision, (graph: Graph) => Graph>> = {
  float32: (graph) => graph,
  float16: inFloat16,
  int8: inInt8,
};

/** Checks a written file, then moves it into place or deletes it. */
async function finish(
  written: WrittenDraft,
  out: string,
  judge: (file: string) => Promise<PrecisionJudgment | undefined> = async () => undefined,
): Promise<OnnxExport> {
  const { draft, model, reference, unchecked, bytes, outputs } = written;
  const { precision, calibration } = model;
  const config = configPath(out);
  try {
    const check =
      reference &&
      (await checkExport(draft.path, reference, { precision, calibration: calibration ?? undefined }));
    const judgment = await judge(draft.path);
    writeConfig(config, out, model);
    draft.finish();
    return { file: out, config, bytes, model, outputs, check, unchecked, judgment };
  } catch (error) {
    draft.discard();
    throw error;
  }
}
