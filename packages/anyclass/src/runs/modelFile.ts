// A trained network with everything needed to use it: classes, image preprocessing, calibration and decision.

import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Calibration, Decision, Guard } from '@anyclass/core';
import { loadTensorsInto, readSafetensorsHeader } from '@anyclass/torch';
import { isPlainObject } from '../configuration/overrides.js';
import type { ModelInput } from '../data/dataset/inputs.js';
import { reasonOf } from '../errors/reasonOf.js';
import { resumeCommand, UserError } from '../errors/userError.js';
import { unusualKind } from '../files/fileKind.js';
import { parsedJson } from '../files/wholeFile.js';
import { refuseBrokenWeights } from '../networks/brokenWeights.js';
import type { CompleteNetworkOptions, NetworkName } from '../networks/catalog.js';
import { isNetworkName } from '../networks/catalog.js';
import { buildNetwork, optionsOfFile } from '../networks/createNetwork.js';
import type { Network } from '../networks/network.js';
import { saveWeights } from '../networks/weights/saveWeights.js';
import type { DecisionOrigin } from './decisionOrigin.js';
import { checkedBy, describedModel } from './modelSchema.js';
import { refuseOtherFolder } from './runFolder.js';

/** What is known about a model apart from its network. */
export type ModelDescription = ModelFacts & ModelInput;

interface ModelFacts {
  readonly classes: readonly string[];
  /** The epoch that the weights come from, counted from 1. */
  readonly epoch: number;
  readonly loss: string;
  /** DATASET, as in the configuration. */
  readonly dataset: string;
  readonly classImportance?: readonly number[];
  /** Applied to the network's probabilities before anything else. */
  readonly calibration?: Calibration;
  /** How calibrated probabilities become labels. */
  readonly decision?: Decision;
  /** Where the decision comes from, if it was refitted after training. */
  readonly decisionOrigin?: DecisionOrigin;
  /** Which images are odd; those that would be cleared are reviewed. */
  readonly guard?: Guard;
}

export interface Model {
  readonly network: Network;
  readonly description: ModelDescription;
  /** Warnings for the user, such as that the file comes from a version that wrote no checksums. */
  readonly remarks?: readonly string[];
}

/** Writes a model to one safetensors file, completely or not at all. */
export function saveModel(path: string, { network, description }: Model): void {
  saveWeights(network, path, { model: JSON.stringify(description) });
}

/**
 * Loads a model from its file or from the folder of a finished run, in evaluation mode on the CPU. Throws if
 * the file differs from what was written.
 *
 * @example
 * const { network, description } = loadModel('runs/sewer');
 * description.classes // ['RB', 'OB', …]
 */
export function loadModel(path: string): Model {
  const file = modelPath(path);
  const { entries, metadata } = readSafetensorsHeader(file);
  const description = readDescription(file, metadata);
  const { name, options } = networkOf(file, metadata);
  const network = buildNetwork(name, options()).eval().requireGrad(false);
  try {
    refuseOtherShapes(network, entries, file);
    loadTensorsInto(network, file);
    refuseBrokenWeights(network, file);
  } catch (error) {
    network.dispose();
    throw error;
  }
  const isChecked = metadata['checksums'] !== undefined;
  return {
    network,
    description,
    remarks: isChecked ? [] : [`${file} has no checksums, so damage would go unnoticed`],
  };
}

function refuseOtherShapes(
  network: Network,
  entries: ReadonlyMap<string, { readonly shape: readonly number[] }>,
  file: string,
): void {
  try {
    network.fitState(entries);
  } catch (error) {
    throw new UserError(`${file} does not hold the weights of the network that it names: ${reasonOf(error)}`);
  }
}

/**
 * Reads what a model file's metadata says about the model.
 *
 * @throws UserError if the file holds weights only, or is of an earlier version
 */
export function readDescription(file: string, metadata: Readonly<Record<string, string>>): ModelDescription {
  const { model } = networkOf(file, metadata);
  const recorded = parsedJson(model);
  if (isPlainObject(recorded) && 'thresholds' in recorded)
    throw new UserError(`${file}: written by an earlier version, whose models do not open here; train again`);
  const { data, error } = modelDescription.safeParse(recorded);
  if (data) return withOutcomes(data);
  const { path: field, message } = error.issues[0]!;
  throw new UserError(
    `${file}: its metadata does not describe a model (${['model', ...field].join('.')}: ${message}); train again, or import its weights`,
  );
}

function networkOf(
  file: string,
  { network = '', networkOptions, model }: Readonly<Record<string, string>>,
): {
  readonly name: NetworkName;
  readonly options: () => CompleteNetworkOptions;
  readonly model: string;
} {
  if (isNetworkName(network) && networkOptions !== undefined && model !== undefined)
    return { name: network, options: () => readOptions(file, network, parsedJson(networkOptions)), model };
  throw new UserError(
    `${file}: holds weights but no network name and classes; import it first, or use a model.safetensors written by training`,
  );
}

function readOptions(file: string, name: NetworkName, given: unknown): CompleteNetworkOptions {
  try {
    return optionsOfFile(name, isPlainObject(given) ? given : {});
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    throw new UserError(
      `${file}: its metadata does not describe a network (${error.message}); import its weights`,
    );
  }
}

/** The model file that a path to a model or a run refers to. */
export function modelPath(path: string): string {
  if (!existsSync(path)) throw new UserError(`${path}: no such model or run`);
  const found = statSync(path);
  const kind = unusualKind(found);
  if (kind !== undefined) throw new UserError(`${path} is ${kind}, not a model`);
  if (!found.isDirectory()) return path;
  const file = join(path, 'model.safetensors');
  if (!existsSync(file)) {
    refuseOtherFolder(path);
    throw new UserError(`${path}: no model.safetensors; if the run is not finished, resume it`, {
      next: resumeCommand(path),
    });
  }
  return file;
}

/** Whether a model's guard needs the embeddings of images. */
export function needsEmbeddings({ guard }: Pick<ModelDescription, 'guard'>): boolean {
  return guard !== undefined && guard.training !== null;
}

const modelDescription = checkedBy<ModelDescription>(describedModel);

/** What decisions say since there are three outcomes. */
export const withoutTriage = { clear: null, presenceFrom: 'scores', candidates: 1 } as const;

function withOutcomes(description: ModelDescription): ModelDescription {
  const { decision } = description;
  return decision ? { ...description, decision: { ...withoutTriage, ...decision } } : description;
}
