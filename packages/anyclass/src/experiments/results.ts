// The results of an experiment: the comparison of its runs, result files, and failures.

import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { inflected } from '../errors/counted.js';
import type { ChildState, RunEventListener } from '../events/runEvent.js';
import { parsedJson, writeWhole } from '../files/wholeFile.js';
import { type ReportTable, tableEndings, tableFiles } from '../tables/index.js';
import { type ComparisonOptions, compareRuns } from './comparison.js';
import type { Comparison } from './comparisonResult.js';
import { possibleTables } from './comparisonTables.js';
import type { ExperimentRuns } from './experiment.js';
import type { DrawTask } from './methodDifferences.js';
import type { Run } from './readRuns.js';
import type { Recommendation, SweepPoint } from './sweepResult.js';
import { type SweepTestOptions, testValues } from './valueDifferences.js';

/**
 * Compares an experiment's runs and reports the bootstrap's progress and the comparison's notes as events.
 */
export async function compareWithProgress(
  runs: readonly Run[],
  options: Pick<ComparisonOptions, 'replicates' | 'decision'>,
  onEvent: RunEventListener = () => {},
): Promise<Comparison> {
  const { replicates = 1000 } = options;
  const draws = replicates * new Set(runs.map(({ dataset }) => dataset)).size;
  const tasks: Readonly<Record<DrawTask, () => void>> = {
    'at 0.5': drawing('comparing at 0.5', draws, onEvent),
    'at decisions': drawing('refitting decisions', draws, onEvent),
  };
  const comparison = await compareRuns(runs, { ...options, onDraw: (task) => tasks[task]() });
  for (const text of comparison.notes) onEvent({ type: 'note', text });
  return comparison;
}

/** Tests a sweep's recommended value against all others and reports the bootstrap's progress as events. */
export function testWithProgress(
  recommendation: Recommendation,
  points: readonly SweepPoint[],
  runs: readonly Run[],
  title: string,
  { replicates, decision }: Pick<SweepTestOptions, 'replicates' | 'decision'>,
  onEvent: RunEventListener = () => {},
): Promise<Recommendation> {
  const onDraw = drawing('testing values', replicates, onEvent);
  return testValues(recommendation, points, runs, title, { replicates, decision, onDraw });
}

function drawing(task: string, total: number, onEvent: RunEventListener): () => void {
  let done = 0;
  return () => onEvent({ type: 'progress', task, done: ++done, total, unit: 'draws' });
}

/**
 * Writes each table as CSV, Markdown and LaTeX below `tables`, and the result as JSON. Tables of an earlier
 * result that this one lacks are removed. A sweep's tables have a prefix, because the folder may also hold a
 * comparison.
 *
 * @example
 * writeResultFiles('comparisons/coco', 'comparison', comparison, comparisonTables(comparison))
 */
export function writeResultFiles(
  out: string,
  name: 'comparison' | 'sweep',
  result: unknown,
  tables: readonly ReportTable[],
): void {
  const folder = join(out, 'tables');
  const resultFile = join(out, `${name}.json`);
  const prefix = name === 'sweep' ? 'sweep-' : '';
  mkdirSync(folder, { recursive: true });
  const files = new Map(tables.flatMap(tableFiles));
  for (const [file, text] of files) writeWhole(join(folder, prefix + file), text);
  for (const file of earlierFiles(resultFile))
    if (!files.has(file)) rmSync(join(folder, prefix + file), { force: true });
  writeWhole(resultFile, `${JSON.stringify(result, null, 2)}\n`);
}

const comparedDatasets = z.object({ groups: z.array(z.object({ dataset: z.string() })) });
const earlierResult = z.union([
  comparedDatasets,
  z.object({ comparison: comparedDatasets }).transform(({ comparison }) => comparison),
]);

/** The table files that the earlier result at a path may have; none if there is no such result. */
function earlierFiles(path: string): string[] {
  if (!existsSync(path)) return [];
  const { data } = earlierResult.safeParse(parsedJson(readFileSync(path, 'utf8')));
  const names = possibleTables([...new Set(data?.groups.map(({ dataset }) => dataset))]);
  return names.flatMap((name) => tableEndings.map((ending) => `${name}.${ending}`));
}

/** A run of an experiment that failed or was interrupted, and why. */
export interface UnfinishedRun {
  readonly name: string;
  readonly state: ChildState;
  readonly reason: string;
}

export function unfinishedRuns({ unfinished }: ExperimentRuns): UnfinishedRun[] {
  return unfinished.map(({ planned: { name }, row: { state }, reason }) => ({ name, state, reason }));
}

/** Says what went wrong with each unfinished run, and how many there are. */
export function failureText(unfinished: readonly UnfinishedRun[]): string {
  const { length } = unfinished;
  return [
    ...unfinished.map(
      ({ name, state, reason }) =>
        `${name} ${state === 'failed' ? 'failed' : `was ${state}`}:\n${reason.replaceAll(/^/gm, '  ')}`,
    ),
    `${length} ${inflected(length, 'run is', 'runs are')} not finished; run the same command again to resume`,
  ].join('\n');
}
