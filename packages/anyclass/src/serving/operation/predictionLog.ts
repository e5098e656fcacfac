// Logs predictions for later labeling and for `monitor`: one JSON line per image.

import { createHash, randomUUID } from 'node:crypto';
import { closeSync, fstatSync, ftruncateSync, openSync, readSync, statSync, writeSync } from 'node:fs';
import type { Decision } from '@anyclass/core';
import { fileProblem } from '@anyclass/files';
import { UserError } from '../../errors/userError.js';
import { longestLine } from '../../field/predictionLog.js';
import { parsedJson } from '../../files/wholeFile.js';
import type { NamedPrediction } from '../../inference/predictor.js';
import type { Audits } from './audits.js';
import type { LineWriter } from './log.js';
import type { ShadowAnswer } from './shadows.js';

export interface LoggedPrediction {
  readonly requestId: string;
  readonly model: string;
  readonly version: string;
  readonly decision: Decision;
  readonly presenceScore: number;
  readonly name: string;
  readonly group?: string | undefined;
  readonly bytes: Uint8Array;
  readonly prediction: NamedPrediction;
  /** What a model in the shadow answered. */
  readonly shadow?: ShadowAnswer | undefined;
}

/**
 * Checks that predictions can be appended to a file: a new one, an empty one, or one with logged predictions. It
 * is created if it does not exist. A last line that a killed server left unfinished is removed, since the next one would
 * continue it.
 *
 * @throws UserError if it is any other file, or cannot be written
 */
export function checkPredictionLog(path: string): void {
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    if (found !== undefined && !found.isFile())
      throw new UserError('it is not a file; predictions are appended to one');
    const file = openSync(path, 'a+');
    try {
      if (fstatSync(file).size > 0 && !isLoggedLine(firstLine(file)))
        throw new UserError('it has other content; choose a new file, or one with logged predictions');
      endLastLine(file);
    } finally {
      closeSync(file);
    }
  } catch (error) {
    throw new UserError(`${path} cannot take logged predictions: ${fileProblem(error)}`);
  }
}

/** Whether a line is one that `logPrediction` wrote. */
function isLoggedLine(line: string): boolean {
  const value = parsedJson(line);
  if (typeof value !== 'object' || value === null) return false;
  return ['time', 'requestId', 'model', 'version', 'sha256', 'probabilities'].every((key) => key in value);
}

/** Ends the last line if only its end is missing, and removes it if more is. */
function endLastLine(file: number): void {
  const { size } = fstatSync(file);
  const start = Math.max(0, size - longestLine);
  const bytes = Buffer.alloc(size - start);
  readSync(file, bytes, 0, bytes.length, start);
  const last = bytes.subarray(bytes.lastIndexOf('\n') + 1);
  if (last.length === 0) return;
  if (isLoggedLine(last.toString('utf8'))) writeSync(file, '\n');
  else ftruncateSync(file, size - last.length);
}

/** The first line, as far as a log of predictions could have one that long. */
function firstLine(file: number): string {
  const bytes = Buffer.alloc(longestLine);
  const length = readSync(file, bytes, 0, longestLine, 0);
  return bytes.subarray(0, length).toString('utf8').split('\n', 1)[0] ?? '';
}

/**
 * Logs a prediction, and whether its image was drawn to be labeled. The image itself is kept only if it was drawn and the server was
 * asked to; its SHA-256 identifies it in an archive.
 */
export function logPrediction(
  { audits }: { readonly audits: Audits | undefined },
  lines: LineWriter,
  logged: LoggedPrediction,
): void {
  const { requestId, model, version, decision, presenceScore, name, group, bytes, prediction, shadow } =
    logged;
  const { labels, outcome, odd, isNegative, presence, probabilities } = prediction;
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const drawn = audits?.draw();
  lines.write(
    JSON.stringify({
      time: new Date().toISOString(),
      // Ours, since clients choose request ids and names and may repeat them.
      id: randomUUID(),
      requestId,
      model,
      version,
      decision: decisionName(decision),
      name,
      ...(group !== undefined && { group }),
      sha256,
      labels,
      // An alarm can have no label, if no class is above its threshold.
      outcome,
      ...(odd !== undefined && { odd }),
      isNegative,
      s: finite(presenceScore),
      presence: presence.probability,
      probabilities,
      ...(audits && { audit: { q: audits.q, drawn } }),
      ...(shadow && { shadow: shadowed(shadow) }),
    }),
  );
  if (drawn) audits?.keep(sha256, bytes);
}

function shadowed({ model, version, answer }: ShadowAnswer) {
  return {
    model,
    version: version.model.version,
    decision: decisionName(version.model.decision),
    outcome: answer.outcome,
    isNegative: !answer.labels.includes(1),
    s: finite(answer.presenceScore),
  };
}

/** JSON has no infinity, which is the score of a row with a probability of 1. */
function finite(score: number): number {
  return Math.min(score, Number.MAX_VALUE);
}

/** What a log says about a decision: a name that changes whenever the decision does, and the share that it limits. */
export interface DecisionName {
  readonly id: string;
  readonly falseAlarms?: number;
  /** The share of positives that may be cleared. */
  readonly missed?: number;
  /** What the promise counts, if that is whole groups. */
  readonly per?: 'group';
  /** False if the limit was only kept on the data of the fit; next, the same of `missed`. */
  readonly promised?: false;
  readonly missedPromised?: false;
}

const decisionNames = new WeakMap<Decision, DecisionName>();

export function decisionName(decision: Decision): DecisionName {
  const known = decisionNames.get(decision);
  if (known) return known;
  const { budget, report } = decision;
  const made: DecisionName = {
    id: createHash('sha256').update(JSON.stringify(decision)).digest('hex').slice(0, 12),
    ...('falseAlarms' in budget && {
      falseAlarms: budget.falseAlarms,
      ...(budget.per === 'group' && { per: budget.per }),
      ...(!report.guarantee.holds && { promised: false }),
      ...(budget.missed !== undefined && {
        missed: budget.missed,
        ...(!report.triage?.guarantee.holds && { missedPromised: false }),
      }),
    }),
  };
  decisionNames.set(decision, made);
  return made;
}
