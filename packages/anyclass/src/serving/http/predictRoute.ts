import { presenceProbability, promiseUnit } from '@anyclass/core';
import sharp from 'sharp';
import { isFeatureFormat } from '../../data/dataset/inputs.js';
import { unitOf } from '../../explain/heatMap.js';
import { createGroupAnswers } from '../../inference/groupAnswers.js';
import { named, type Prediction } from '../../inference/predictor.js';
import { Problem } from '../../web/problem.js';
import type { Explanation } from '../api/schemas.js';
import type { RequestImage } from '../bodies/jsonImages.js';
import type { JsonRequests } from '../bodies/jsonRequests.js';
import type { ModelVersion } from '../models/modelVersion.js';
import type { AnswerMap, ImageExplanation } from '../models/workerMessages.js';
import { findModel, type ServerState } from '../operation/serverState.js';
import { logAnswers } from './logAnswers.js';
import { answer, type Exchanged, type Outcome } from './predicting.js';
import { createPredictionText, type PredictionText } from './predictionText.js';
import { requestImages } from './requestImages.js';

/** POST /v1/predict: predicts one or more images or rows, and returns the predictions as JSON. */
export async function predictRoute(
  state: ServerState,
  json: JsonRequests,
  exchanged: Exchanged,
): Promise<string> {
  const { request: asked } = exchanged;
  let sent: readonly RequestImage[] = [];
  const { model, version, outcomes } = await answer(state, exchanged, async (body) => {
    const request = await requestImages(json, state, asked.headers['content-type'] ?? '', body);
    const group = queried(asked.query, 'group');
    sent = request.images.map((image) => ({ ...image, group: image.group ?? (group || undefined) }));
    return {
      model: findModel(state, request.model ?? queried(asked.query, 'model')),
      explain: isExplained(asked.query),
      images: sent.map(({ bytes, row }) => row ?? { kind: 'encoded', bytes }),
    };
  });
  const [first] = outcomes;
  const areAllProblems = outcomes.every((outcome) => outcome instanceof Problem);
  if (areAllProblems && first instanceof Problem) throw first;
  const textOf = predictionText(version);
  const predictions = outcomes.map((outcome, i) => {
    const { name } = sent[i]!;
    if (outcome instanceof Problem) return JSON.stringify({ name, failure: outcome.message });
    const text = textOf(name, outcome);
    if (!outcome.explanation) return text;
    const explained = explanationText(outcome.explanation, version);
    return explained.then((added) => `${text.slice(0, -1)},${added}}`);
  });
  logAnswers(state, {
    requestId: asked.id,
    model,
    version,
    outcomes,
    sent,
    prediction: (outcome) => namedAnswer(version, outcome),
  });
  const names = `"model":${JSON.stringify(model.name)},"version":${JSON.stringify(version.model.version)}`;
  const groups = groupText(version, sent, outcomes);
  const texts = predictions.some((text) => typeof text !== 'string')
    ? await Promise.all(predictions)
    : predictions;
  return `{${names},"predictions":[${texts.join()}]${groups}}`;
}

/** The answers for groups, if the request names any. */
function groupText(
  { model }: ModelVersion,
  sent: readonly RequestImage[],
  outcomes: readonly Outcome[],
): string {
  if (sent.every(({ group }) => group === undefined)) return '';
  const { classes } = model.description;
  const answers = createGroupAnswers(classes);
  outcomes.forEach((outcome, i) => {
    const { name, group } = sent[i]!;
    if (group === undefined) return;
    if (outcome instanceof Problem) answers.add(group, { name, failure: outcome.message });
    else answers.add(group, predictionOf(name, outcome, classes));
  });
  const isPromised = promiseUnit(model.decision.budget) === 'group';
  const groups = answers.finish().map(({ presenceScore, ...answer }) => ({
    ...answer,
    isNegative: answer.labels.length === 0,
    presence: presenceProbability(presenceScore),
    isPromised: isPromised && model.decision.report.guarantee.holds,
  }));
  return `,"groups":${JSON.stringify(groups)}`;
}

const predictionTexts = new WeakMap<ModelVersion, PredictionText>();

function predictionText(version: ModelVersion): PredictionText {
  const known = predictionTexts.get(version);
  if (known) return known;
  const { description, decision } = version.model;
  const made = createPredictionText(description.classes, decision);
  predictionTexts.set(version, made);
  return made;
}

function queried(query: unknown, name: 'model' | 'group' | 'explain'): string | undefined {
  const value: unknown = typeof query === 'object' && query !== null ? Reflect.get(query, name) : undefined;
  const [first = undefined] = Array.isArray(value) ? value : [value];
  return typeof first === 'string' ? first : undefined;
}

function isExplained(query: unknown): boolean {
  const asked = queried(query, 'explain');
  if (asked === undefined || asked === '0') return false;
  if (asked === '1') return true;
  throw new Problem('bad-request', `explain is '${asked}'; expected 0 or 1`);
}

async function explanationText({ pixels, maps }: ImageExplanation, version: ModelVersion): Promise<string> {
  const { format } = version.model;
  if (isFeatureFormat(format)) throw new Error('features have no heat maps');
  const { width, height, channels } = format;
  const seen = await sharp(pixels, { raw: { width, height, channels } }).webp({ quality: 80 }).toBuffer();
  const image = `data:image/webp;base64,${seen.toString('base64')}`;
  return `"seen":${JSON.stringify(image)},"explanations":${JSON.stringify(explanations(maps, version))}`;
}

/** Heat maps for the answer; the class is null for presence, and four digits are enough for a color. */
function explanations(maps: readonly AnswerMap[], { model }: ModelVersion): Explanation[] {
  return maps.map(({ target, method, rows, columns, values }) => {
    const peak = values.reduce((most, value) => Math.max(most, value), 0);
    return {
      class: target === 'presence' ? null : model.description.classes[target]!,
      method,
      unit: unitOf(method),
      rows,
      columns,
      peak,
      values: Array.from(values, (value) => Number(value.toPrecision(4))),
    };
  });
}

function namedAnswer({ model }: ModelVersion, answer: Exclude<Outcome, Problem>) {
  const { classes } = model.description;
  return named(predictionOf('', answer, classes), classes, model.decision);
}

function predictionOf(
  name: string,
  { probabilities, presenceScore, outcome, odd, labels }: Exclude<Outcome, Problem>,
  classes: readonly string[],
): Prediction {
  return {
    name,
    probabilities,
    presenceScore,
    outcome,
    odd,
    labels: classes.filter((_, j) => labels[j] === 1),
  };
}
