// Groups in predictions: how they are named, and the answers for them.

import { existsSync } from 'node:fs';
import { extname } from 'node:path';
import { presenceProbability } from '@anyclass/core';
import { z } from 'zod';
import { counted } from '../errors/counted.js';
import { UsageError } from '../errors/usageError.js';
import { checkInputFile } from '../files/inputs.js';
import type { GroupAnswer } from '../inference/groupAnswers.js';
import { type GroupOf, groupsByFolder, groupsByTable } from '../inference/groupNames.js';
import type { OutputFormat } from '../inference/outputFormats.js';
import { csvCell } from '../runs/scoreFiles.js';
import { fileOutput } from './predictionOutput.js';

export const groupFields = {
  groupFolder: z
    .int()
    .positive()
    .optional()
    .describe(
      'images below one folder are a group, such as a patient or a pipe: 1 for the folder that holds an image, 2 for the one above it',
    )
    .meta({ placeholder: 'LEVEL' }),
  groupColumn: z
    .string()
    .optional()
    .describe('column with the group of each image, in --group-table or in the table that is predicted')
    .meta({ placeholder: 'COLUMN' }),
  groupTable: z
    .string()
    .optional()
    .describe('CSV or Parquet table with the names of the images and --group-column')
    .meta({ placeholder: 'FILE' }),
  groupsOut: z
    .string()
    .optional()
    .describe('write one answer per group to this file; with jsonl, they follow those for images by default')
    .meta({ placeholder: 'FILE' }),
};

interface GivenGroups {
  readonly groupFolder?: number | undefined;
  readonly groupColumn?: string | undefined;
  readonly groupTable?: string | undefined;
  readonly groupsOut?: string | undefined;
}

/** Whether images have groups. */
export function hasGroups({ groupFolder, groupColumn }: GivenGroups): boolean {
  return groupFolder !== undefined || groupColumn !== undefined;
}

/** Throws for options that do not go together. */
export function checkGroups(given: GivenGroups, format: OutputFormat): void {
  const { groupFolder, groupColumn, groupTable, groupsOut } = given;
  if (groupFolder !== undefined && groupColumn !== undefined)
    throw new UsageError('cannot be combined with a column of groups; choose one', 'groupFolder');
  if (groupTable !== undefined && groupColumn === undefined)
    throw new UsageError('requires --group-column', 'groupTable');
  if (groupsOut !== undefined && !hasGroups(given))
    throw new UsageError('requires --group-folder or --group-column', 'groupsOut');
  if (groupsOut === undefined && hasGroups(given) && format !== 'jsonl')
    throw new UsageError(
      `answers for groups do not fit into a table of images; give --groups-out FILE, or --format jsonl`,
    );
}

/** How images are grouped; undefined if they are not. */
export async function groupsOf(
  given: GivenGroups & { readonly paths: readonly string[] },
): Promise<GroupOf | undefined> {
  const { groupFolder, groupColumn, groupTable, paths } = given;
  if (groupFolder !== undefined) return groupsByFolder(groupFolder);
  if (groupColumn === undefined) return undefined;
  const [own] = paths;
  const table =
    groupTable ??
    (paths.length === 1 && own !== undefined && /^\.(csv|parquet)$/i.test(extname(own)) && existsSync(own)
      ? own
      : undefined);
  if (table === undefined)
    throw new UsageError('names a column; also give the table that has it, --group-table', 'groupColumn');
  checkInputFile(table, groupTable === undefined ? 'PATH' : '--group-table');
  return groupsByTable(table, groupColumn);
}

const groupHeader = 'group,images,unreadable,outcome,presence,labels';

/** The answer for a group as a line of text. */
export function groupLine(format: OutputFormat, answer: GroupAnswer): string {
  const { group, images, unreadable, outcome, labels } = answer;
  const presence = presenceProbability(answer.presenceScore);
  if (format === 'jsonl')
    return JSON.stringify({
      group,
      images,
      unreadable,
      labels,
      negative: labels.length === 0,
      outcome,
      presence,
    });
  const named = labels.some((label) => label.includes('|')) ? JSON.stringify(labels) : labels.join('|');
  return [csvCell(group), images, unreadable, outcome, presence, csvCell(named || 'negative')].join();
}

/** Writes the answers for groups to a file of their own, whole or not at all. */
export async function writeGroups(
  path: string,
  format: OutputFormat,
  answers: readonly GroupAnswer[],
): Promise<void> {
  using target = fileOutput('--groups-out', path);
  if (format !== 'jsonl') await target.write(groupHeader);
  for (const answer of answers) await target.write(groupLine(format, answer));
  target.finish();
}

/** How many groups were answered, and where. */
export function groupsText(groups: number, path: string | undefined): string {
  return path === undefined ? counted(groups, 'group') : `${counted(groups, 'group')} in ${path}`;
}
