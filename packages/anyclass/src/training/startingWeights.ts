// The weights that a run starts from, and image preprocessing to match them.

import type { Configuration } from '../configuration/schema.js';
import type { Network } from '../networks/network.js';
import { assumedFacts } from '../networks/weights/fileFacts.js';
import { type FoundWeights, findWeights } from '../networks/weights/findWeights.js';
import { loadWeights, refuseOtherNetwork, weightReportText } from '../networks/weights/loadWeights.js';
import type { ActiveRun } from './activeRun.js';
import type { RunData } from './dataForRun.js';

/** Finds or downloads the weights that `network.weights` names; undefined if a run starts from scratch. */
export async function startingWeights(
  { network: { name, weights } }: Configuration,
  { emit, options: { signal } }: ActiveRun,
): Promise<FoundWeights | undefined> {
  if (weights === undefined) return undefined;
  const found = await findWeights(weights, { onEvent: emit, signal });
  return { ...found, facts: assumedFacts(name, found.facts) };
}

/** Loads weights into a network; returns remarks for the log. */
export function startFrom(
  network: Network,
  weights: FoundWeights,
  { preparation, features }: RunData,
): string[] {
  const { name, commit, path } = weights;
  const file = commit === undefined ? name : `${name} at ${commit.slice(0, 12)}`;
  const report = { ...loadWeights(network, path), file };
  refuseOtherNetwork(network, report);
  const remarks = features ? [] : preparationRemarks(network, weights, preparation);
  return [weightReportText(report), ...remarks];
}

/** The configuration to record: a resumed run preprocesses images alike, even if the weights file is gone. */
export function withPreparation(
  configuration: Configuration,
  { preparation, features }: RunData,
): Configuration {
  if (features) return configuration;
  const { mean, std } = preparation;
  return { ...configuration, data: { ...configuration.data, mean: [...mean], std: [...std] } };
}

/** Says whether images are preprocessed as the weights expect, and which fields differ if not. */
function preparationRemarks(
  { name: network, options: { inputSize } }: Network,
  { name, facts }: FoundWeights,
  { mean, std, channels }: RunData['preparation'],
): string[] {
  if (facts.mean === undefined || facts.std === undefined) {
    return [
      `${name} does not say how its images were preprocessed; using mean ${shown(mean)}, std ${shown(std)}`,
    ];
  }
  const isGray = channels === 1 && facts.mean.length === 3;
  if (facts.isAssumed && (isGray || (same(mean, facts.mean) && same(std, facts.std)))) {
    return [
      `${name} does not say how its images were preprocessed; using mean ${shown(mean)}, std ${shown(std)}, as all published weights of ${network}`,
    ];
  }
  const others = [
    inputSize === (facts.inputSize ?? inputSize)
      ? ''
      : `network.inputSize ${inputSize} instead of ${facts.inputSize}`,
    isGray || same(mean, facts.mean) ? '' : `data.mean ${shown(mean)} instead of ${shown(facts.mean)}`,
    isGray || same(std, facts.std) ? '' : `data.std ${shown(std)} instead of ${shown(facts.std)}`,
  ].filter(Boolean);
  if (others.length > 0)
    return [`Images are preprocessed differently than for ${name}: ${others.join(', ')}`];
  return [`Images are preprocessed as for ${name}: ${inputSize} px, mean ${shown(mean)}, std ${shown(std)}`];
}

function same(a: readonly number[], b: readonly number[]): boolean {
  return a.join() === b.join();
}

function shown(values: readonly number[]): string {
  return `[${values.map((value) => Math.round(value * 1e4) / 1e4).join(', ')}]`;
}
