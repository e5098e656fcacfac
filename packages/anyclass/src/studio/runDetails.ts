// A run with its configuration, and how its decision stands on the rows that it was fitted on. Nothing here is about test.

import { existsSync, readFileSync } from 'node:fs';
import { type DecisionReport, describePromises } from '@anyclass/core';
import type { RunDetails, RunRow, RunVerdict } from '@anyclass/studio';
import { dottedFields } from '../configuration/dottedFields.js';
import { isPlainObject } from '../configuration/overrides.js';
import { UserError } from '../errors/userError.js';
import type { RunSummary } from '../events/runSummary.js';
import { parsedJson } from '../files/wholeFile.js';
import { readModelRecord } from '../inference/modelRecord.js';
import { runPaths } from '../runs/runFolder.js';
import { readSummary } from '../runs/summary.js';
import { settingOf } from './runRow.js';

/** Reads what the page of a run shows beside its log. */
export function runDetails(path: string, row: RunRow): RunDetails {
  const paths = runPaths(path);
  const record = parsedJson(readFileSync(paths.config, 'utf8'));
  const { configuration, versions } = isPlainObject(record) ? record : {};
  const fields = isPlainObject(configuration) ? dottedFields(configuration) : new Map<string, string>();
  return {
    row,
    folder: path,
    configuration: [...fields].map(([field, value]) => [field, settingOf(value)]),
    versions: isPlainObject(versions)
      ? Object.fromEntries(Object.entries(versions).map(([name, version]) => [name, String(version)]))
      : {},
    hasReport: existsSync(paths.report),
    verdict: verdictOf(path),
  };
}

/** Null if the run is not finished, or of an earlier version. */
function verdictOf(path: string): RunVerdict | null {
  const paths = runPaths(path);
  if (!existsSync(paths.summary) || !existsSync(paths.model)) return null;
  try {
    const { decision } = readModelRecord(path).description;
    return decision ? decidedVerdict(readSummary(paths), decision) : null;
  } catch (error) {
    if (error instanceof UserError) return null;
    throw error;
  }
}

function decidedVerdict(
  summary: RunSummary,
  { report, fittedOn }: NonNullable<ReturnType<typeof readModelRecord>['description']['decision']>,
): RunVerdict {
  const { bestEpoch, bestBy, isLastKept, test } = summary;
  const { positives, negatives, falseAlarms, triage, remarks } = report;
  const measured = test?.decided?.validation;
  // Presence decides what alarms, under whatever name; without triage, all that is not cleared does.
  const missed = measured?.missedRate ?? null;
  const alarmed = missed === null ? null : Math.round((1 - missed) * (measured?.positiveRows ?? 0));
  return {
    split: fittedOn ?? 'validation',
    bestEpoch,
    chosenBy: isLastKept ? 'the last epoch, which chooses nothing' : `the best by ${bestBy}`,
    positives,
    negatives,
    found: triage?.positives.alarm ?? alarmed,
    falseAlarms: triage?.negatives.alarm ?? falseAlarms,
    review: triage?.rows.review ?? null,
    missed: triage?.positives.clear ?? null,
    promises: promiseSentences(report),
    remarks,
  };
}

/** What is promised, a sentence for each of two limits; where only one is, the remarks say why. */
export function promiseSentences(report: Pick<DecisionReport, 'guarantee' | 'triage'>): string[] {
  const { guarantee } = report;
  const promises = describePromises(report);
  return guarantee.holds || promises.length > 0
    ? promises.map((text) => `${text[0]?.toUpperCase()}${text.slice(1)}.`)
    : [`Nothing is promised: ${guarantee.reason}.`];
}
