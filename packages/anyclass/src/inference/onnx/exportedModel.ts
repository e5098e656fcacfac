// The description of an exported model, in the ONNX file's metadata (one string per field) and config.json.

import type { Decision } from '@anyclass/core';
import { z } from 'zod';
import { type ModelInput, takesFeatures } from '../../data/dataset/inputs.js';
import { readingOf } from '../../data/dataset/preparation.js';
import { readingFields } from '../../data/dataset/reading/readingFields.js';
import { datasetName, parseDataset } from '../../data/datasetSpec.js';
import { UserError } from '../../errors/userError.js';
import { parsedJson } from '../../files/wholeFile.js';
import { type ModelDescription, withoutTriage } from '../../runs/modelFile.js';
import {
  calibrationField,
  channelNumbers,
  decisionField,
  guardField,
  originField,
} from '../../runs/modelSchema.js';
import { sealKey } from './onnxChecksum.js';

export const onnxPrecisions = ['float32', 'float16', 'int8'] as const;

/** `int8` applies only to weights, which become floats again when the model is opened. */
export type OnnxPrecision = (typeof onnxPrecisions)[number];

const imagePreprocessing = z.object({
  width: z.int().positive(),
  height: z.int().positive(),
  /** Resized without keeping the aspect ratio. */
  fit: z.literal('fill'),
  /** Antialiased bilinear: a triangle filter scaled by the reduction, 2 source pixels wide without any. */
  resize: z.literal('triangle'),
  /** With 1, images are converted to gray, which the network gets on three channels. */
  channels: z.union([z.literal(1), z.literal(3)]),
  mean: channelNumbers,
  std: channelNumbers,
  ...readingFields,
});

/** For a model of feature vectors: the feature names in order. Standardization is part of the network. */
const featurePreprocessing = z.object({ features: z.array(z.string()).min(1) });

const exportedModel = z.object({
  format: z.literal('anyclass'),
  network: z.string(),
  precision: z.enum(onnxPrecisions),
  classes: z.array(z.string()).min(1),
  preprocessing: z.union([featurePreprocessing, imagePreprocessing]),
  calibration: calibrationField.nullable(),
  decision: decisionField,
  /** Where the decision comes from, if it was refitted after training. */
  decisionOrigin: originField.optional(),
  /** Which images are odd, for models that have a guard; it needs the output `embedding`. */
  guard: guardField.optional(),
  training: z.object({
    epoch: z.number(),
    loss: z.string(),
    dataset: z.string(),
    classImportance: z.array(z.number()).optional(),
  }),
});

export type OnnxDescription = z.output<typeof exportedModel>;

/** The exported description: everything but the weights. */
export function describeExport(
  description: ModelDescription & { decision: Decision },
  { network, inputSize, precision }: { network: string; inputSize: number; precision: OnnxPrecision },
): OnnxDescription {
  const { calibration, decision, decisionOrigin, guard, classes, epoch, loss, dataset, classImportance } =
    description;
  return {
    format: 'anyclass',
    network,
    precision,
    classes: [...classes],
    preprocessing: preprocessingOf(description, inputSize),
    calibration: calibration ?? null,
    decision,
    ...(decisionOrigin && { decisionOrigin }),
    ...(guard && { guard }),
    training: {
      epoch,
      loss,
      dataset: nameOf(dataset),
      ...(classImportance && { classImportance: [...classImportance] }),
    },
  };
}

/**
 * The dataset's name without folders: exported files are shared and should reveal nothing about the machine.
 */
function nameOf(dataset: string): string {
  return /[\\/]/.test(dataset) ? datasetName(parseDataset(dataset)) : dataset;
}

function preprocessingOf(input: ModelInput, inputSize: number): OnnxDescription['preprocessing'] {
  if (takesFeatures(input)) return { features: [...input.features] };
  const { channels, mean, std, ...reading } = input;
  return {
    width: inputSize,
    height: inputSize,
    fit: 'fill',
    resize: 'triangle',
    channels,
    mean: [...mean],
    std: [...std],
    ...readingOf(reading),
  };
}

/** One string per field; values that are not strings become JSON. */
export function exportMetadata(model: OnnxDescription): Record<string, string> {
  return Object.fromEntries(
    Object.entries(model).map(([key, value]) => [
      key,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]),
  );
}

/**
 * Reads the description from an ONNX file's metadata.
 *
 * @throws UserError if another program wrote the file
 */
export function readExport(metadata: Readonly<Record<string, string>>, path: string): OnnxDescription {
  const values = Object.entries(metadata).map(([key, text]) => [key, isText(key) ? text : parsedJson(text)]);
  const result = exportedModel.safeParse(Object.fromEntries(values));
  if (result.success) return result.data;
  const { path: field, message } = result.error.issues[0]!;
  throw new UserError(
    `${path}: its metadata does not describe an anyclass model (${field.join('.')}: ${message}); 'anyclass export' writes such files`,
  );
}

function isText(key: string): boolean {
  return ['format', 'network', 'precision', sealKey].includes(key);
}

/** Converts an exported description to that of a model file. */
export function descriptionOf({
  preprocessing,
  classes,
  calibration,
  decision,
  decisionOrigin,
  guard,
  training,
}: OnnxDescription): ModelDescription {
  const { classImportance, ...rest } = training;
  return {
    classes,
    ...inputOf(preprocessing),
    ...rest,
    decision: { ...withoutTriage, ...decision },
    ...(decisionOrigin && { decisionOrigin }),
    ...(guard && { guard }),
    ...(classImportance && { classImportance }),
    ...(calibration && { calibration }),
  };
}

function inputOf(preprocessing: OnnxDescription['preprocessing']): ModelInput {
  if ('features' in preprocessing) return { features: preprocessing.features };
  const { channels, mean, std, ...reading } = preprocessing;
  return { channels, mean, std, ...readingOf(reading) };
}
