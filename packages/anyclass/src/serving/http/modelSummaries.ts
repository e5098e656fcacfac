import { describePromises, presenceProbability, promiseUnit } from '@anyclass/core';
import { isFeatureFormat, takesFeatures } from '../../data/dataset/inputs.js';
import type { Example } from '../../events/example.js';
import { readExamples } from '../../runs/examples.js';
import type { ModelSummary } from '../api/schemas.js';
import type { ModelVersion } from '../models/modelVersion.js';
import type { ServedModel } from '../models/servedModel.js';
import type { OpenedModel } from '../models/workerMessages.js';
import type { ModelCard } from '../pages/tryPage.js';

/** Describes the current version of a model. */
export function modelSummary(served: ServedModel): ModelSummary {
  const { model, openedAt } = served.version();
  const { description, decision, version, network, runtime, device, precision } = model;
  const { classes, calibration, dataset, loss, epoch } = description;
  return {
    name: served.name,
    version,
    openedAt: openedAt.toISOString(),
    network,
    runtime,
    device,
    precision,
    classes: [...classes],
    input: inputOf(model),
    decision: {
      rule: decision.rule,
      gate: decision.presence === null ? null : presenceProbability(decision.presence),
      clear: decision.clear === null ? null : presenceProbability(decision.clear),
      thresholds: Object.fromEntries(classes.map((name, j) => [name, decision.thresholds[j] ?? null])),
      budget: { ...decision.budget },
      unit: promiseUnit(decision.budget),
      promises: describePromises(decision.report),
      remarks: decision.fittedOn === null ? [] : [...decision.report.remarks],
    },
    calibration: calibration?.kind ?? null,
    explains: model.explains,
    training: { dataset, loss, epoch },
  };
}

/** What the page says about a model; only its name while it is being opened. */
export function modelCard(served: ServedModel, hasExamples: boolean): ModelCard {
  if (!served.isReady) return { name: served.name };
  const version = served.version();
  return {
    name: served.name,
    summary: modelSummary(served),
    decision: version.model.decision,
    examples: hasExamples ? examplesOf(served.path, version) : [],
  };
}

/** Read once per version: the page is made anew for every visitor. */
const knownExamples = new WeakMap<ModelVersion, readonly Example[]>();

function examplesOf(path: string, version: ModelVersion): readonly Example[] {
  const known = knownExamples.get(version) ?? readExamples(path);
  knownExamples.set(version, known);
  return known;
}

function inputOf({ description, format }: OpenedModel): ModelSummary['input'] {
  if (takesFeatures(description)) return { features: [...description.features] };
  if (isFeatureFormat(format)) throw new Error('features without names');
  return { ...format };
}
