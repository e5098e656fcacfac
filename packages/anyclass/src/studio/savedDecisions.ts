// Decisions of a run: its own, and those that were saved as model files beside it.

import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Candidates, countOutcomes, type Decision, measure } from '@anyclass/core';
import { LockedError, takeLock } from '@anyclass/files';
import type { DecideSetup, SaveDecision, SavedDecision, TestMetrics } from '@anyclass/studio';
import { shellLine } from '../errors/shellLine.js';
import { UserError } from '../errors/userError.js';
import { refit } from '../field/refit.js';
import { ownDecision } from '../inference/modelDecision.js';
import { readModelRecord } from '../inference/modelRecord.js';
import { runPaths } from '../runs/runFolder.js';
import { fittingSplit } from '../runs/runScores.js';
import type { FoundRun } from './findRuns.js';
import type { ScoreTables } from './scoreTables.js';
import { decisionsFolder, noteTestSeen, testSeen } from './testSeals.js';

const ending = '.safetensors';

/** What Decide starts from. */
export function decideSetup(run: FoundRun, tables: ScoreTables): DecideSetup {
  const split = fittingSplit(runPaths(run.path));
  return {
    command: shellLine(['anyclass', 'refit', run.path]),
    fittingSplit: split,
    candidates: candidatesOf(run),
    saved: savedDecisions(run),
    hasTest: tables.has(run, 'test'),
    testSeen: testSeen(run.path),
  };
}

function savedDecisions({ path }: FoundRun): SavedDecision[] {
  const seen = testSeen(path);
  const folder = decisionsFolder(path);
  const names = existsSync(folder)
    ? readdirSync(folder)
        .filter((name) => name.endsWith(ending))
        .map((name) => name.slice(0, -ending.length))
    : [];
  const others = names
    .map((name) => savedDecision(join(folder, `${name}${ending}`), name, seen))
    .sort((a, b) => ((a.date ?? '') < (b.date ?? '') ? -1 : 1));
  return [savedDecision(path, '', seen), ...others];
}

function savedDecision(model: string, name: string, seen: string | null): SavedDecision {
  const { description } = readModelRecord(model);
  const decision = ownDecision(description);
  const date = name === '' ? null : (description.decisionOrigin?.date ?? null);
  return { name, decision, date, isAfterTest: isAfter(date, seen) };
}

function isAfter(date: string | null, seen: string | null): boolean {
  return date !== null && seen !== null && date > seen;
}

/**
 * Saves a decision as a model file: the run's weights with a decision refitted for this budget. The file is complete or absent.
 *
 * @throws UserError if a decision of this name exists, or another process saves one at this moment
 */
export async function saveDecision(
  run: FoundRun,
  { name, falseAlarms, missed }: SaveDecision,
): Promise<string> {
  const folder = decisionsFolder(run.path);
  const out = join(folder, `${name}${ending}`);
  mkdirSync(folder, { recursive: true });
  using _ = lockedFolder(folder);
  if (existsSync(out)) throw new UserError(`a decision '${name}' already exists; choose another name`);
  const candidates = candidatesOf(run);
  await refit(run.path, { out, falseAlarms, candidates, ...(missed !== null && { missed }) });
  return out;
}

function lockedFolder(folder: string): Disposable {
  try {
    return takeLock(join(folder, 'lock'));
  } catch (error) {
    if (error instanceof LockedError)
      throw new UserError('another window or server saves a decision of this run; try again');
    throw error;
  }
}

/** Rows that were held back chose nothing; handles that moved on the rows of the fit chose among more than can be counted. */
function candidatesOf({ path }: FoundRun): Candidates {
  return fittingSplit(runPaths(path)) === 'decision' ? 1 : 'adaptive';
}

/** Measures a saved decision on test, after noting that it was seen. */
export async function testMetrics(run: FoundRun, name: string, tables: ScoreTables): Promise<TestMetrics> {
  const found = savedDecisions(run).find((saved) => saved.name === name);
  if (!found) throw new UserError(`there is no decision '${name}' any more`);
  const scored = await tables.read(run, 'test');
  const { metrics, positives, negatives } = judged(scored, found.decision);
  const seen = noteTestSeen(run.path, name === '' ? 'the decision of the run' : `decision ${name}`);
  return { metrics, positives, negatives, seen, isAfterTest: found.isAfterTest };
}

function judged(scored: Parameters<typeof measure>[0], decision: Decision) {
  const metrics = measure(scored, { threshold: decision });
  const { positives, negatives } = countOutcomes(scored, { threshold: decision });
  return { metrics, positives, negatives };
}
