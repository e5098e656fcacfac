// What a model file holds besides its weights, and how its decision is exchanged. Neither needs libtorch or onnxruntime.

import { statSync } from 'node:fs';
import type { Decision } from '@anyclass/core';
import { readSafetensors, readSafetensorsHeader, writeSafetensors } from '@anyclass/torch';
import { z } from 'zod';
import { tileStarts } from '../networks/layers/tiles.js';
import type { DecisionOrigin } from '../runs/decisionOrigin.js';
import { type ModelDescription, modelPath, readDescription } from '../runs/modelFile.js';
import { configPath, writeConfig } from './onnx/exportConfig.js';
import { descriptionOf, exportMetadata, type OnnxDescription, readExport } from './onnx/exportedModel.js';
import { checkSeal } from './onnx/onnxChecksum.js';
import { readOnnxMetadata } from './onnx/onnxMetadata.js';
import { writeOnnxMetadata } from './onnx/writeOnnxMetadata.js';

export interface ModelRecord {
  readonly file: string;
  readonly kind: 'safetensors' | 'onnx';
  readonly bytes: number;
  /** For example, 'tresnet-l'. */
  readonly network: string;
  /** How its numbers are stored. */
  readonly precision: string;
  /** Height and width of the images; null for features. */
  readonly inputSize: number | null;
  /** Height and width of the tiles that the images are cut into, and their number; undefined for none, or if the file does not say. */
  readonly tiles?: { readonly size: number; readonly count: number } | undefined;
  /** Null for an exported file, whose graph may have folded some of them. */
  readonly parameters: number | null;
  readonly description: ModelDescription;
}

/**
 * Reads what a model file, a run's model or an exported file says about itself.
 *
 * @example
 * readModelRecord('runs/sewer').description.decision?.report.guarantee
 */
export function readModelRecord(path: string): ModelRecord {
  const file = modelPath(path);
  return isOnnxFile(file) ? onnxRecord(file) : safetensorsRecord(file);
}

/**
 * Writes a copy of a model file with another decision. The file is complete or absent; the weights are the same, byte for
 * byte, and are checked while they are read.
 */
export function writeWithDecision(
  path: string,
  out: string,
  decision: Decision,
  decisionOrigin: DecisionOrigin,
): void {
  const file = modelPath(path);
  if (isOnnxFile(file)) {
    checkSeal(file);
    const model = { ...readExport(readOnnxMetadata(file), file), decision, decisionOrigin };
    const config = configPath(out);
    writeOnnxMetadata(file, out, exportMetadata(model));
    writeConfig(config, out, model);
    return;
  }
  const { tensors, metadata } = readSafetensors(file);
  const { checksums: _, ...others } = metadata;
  const model: ModelDescription = { ...readDescription(file, metadata), decision, decisionOrigin };
  writeSafetensors(out, tensors, { ...others, model: JSON.stringify(model) }, { checksums: true });
}

/** Of images in tiles, the whole image counts. */
const recordedSizes = z.object({
  inputSize: z.number().optional(),
  tiles: z.object({ imageSize: z.number(), overlap: z.number() }).nullish(),
});

function safetensorsRecord(file: string): ModelRecord {
  const { entries, metadata } = readSafetensorsHeader(file);
  const description = readDescription(file, metadata);
  const { data: sizes } = recordedSizes.safeParse(JSON.parse(metadata['networkOptions'] ?? '{}'));
  const size = sizes?.tiles?.imageSize ?? sizes?.inputSize;
  const { tiles, inputSize } = sizes ?? {};
  const dtypes = new Set(Array.from(entries.values(), ({ dtype }) => dtype));
  return {
    file,
    kind: 'safetensors',
    bytes: statSync(file).size,
    network: metadata['network'] ?? '',
    precision: [...dtypes].filter((dtype) => dtype.startsWith('float') || dtype === 'bfloat16').join(', '),
    inputSize: 'features' in description || size === undefined ? null : size,
    ...(tiles &&
      inputSize !== undefined && {
        tiles: { size: inputSize, count: tileStarts(inputSize, tiles).length ** 2 },
      }),
    parameters: Array.from(entries.values()).reduce(
      (sum, { shape }) => sum + shape.reduce((product, length) => product * length, 1),
      0,
    ),
    description,
  };
}

function onnxRecord(file: string): ModelRecord {
  const exported: OnnxDescription = readExport(readOnnxMetadata(file), file);
  const { network, precision, preprocessing } = exported;
  return {
    file,
    kind: 'onnx',
    bytes: statSync(file).size,
    network,
    precision,
    inputSize: 'features' in preprocessing ? null : preprocessing.width,
    parameters: null,
    description: descriptionOf(exported),
  };
}

/** Whether a path names an exported model. */
export function isOnnxFile(path: string): boolean {
  return path.toLowerCase().endsWith('.onnx');
}
