// A study: a search in a folder that several processes may work on.
//   study.json     the configuration, the space, the metric: fixed from the start
//   journal.jsonl  the events of the study
//   trials/0007/   an ordinary run for each trial
//   workers/       the heartbeats of the workers

import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { isPartial } from '@anyclass/files';
import { z } from 'zod';
import { differingFields, dottedFields } from '../configuration/dottedFields.js';
import type { Configuration } from '../configuration/schema.js';
import { validateConfiguration } from '../configuration/validate.js';
import { UserError } from '../errors/userError.js';
import { readWhole, writeWhole } from '../files/wholeFile.js';
import { spaceSchema } from './space.js';
import { withStudyLock } from './studyLock.js';

/** The loss is not among them: it is a different function in every trial. */
export const studyMetrics = ['mAP', 'macroF1', 'macroF2', 'f2Ciw', 'f1Neg', 'bce'] as const;

const studySettings = z.object({
  /** The complete configuration that all trials share. */
  configuration: z.record(z.string(), z.unknown()),
  /** The search spaces by field. */
  search: z.record(z.string(), spaceSchema),
  metric: z.enum(studyMetrics),
  seed: z.int().min(0),
  eta: z.int().min(2),
  minEpochs: z.int().positive(),
  /** How often a trial is restarted after its process died without completing an epoch. Default 1. */
  retries: z.int().min(0).optional(),
});

export interface StudySettings extends Omit<z.output<typeof studySettings>, 'configuration'> {
  readonly configuration: Configuration;
}

/** Reads the settings of a study; undefined if there is none. */
export function readStudy(folder: string): StudySettings | undefined {
  const path = studyPath(folder);
  if (!existsSync(path)) return undefined;
  const settings = readWhole(path, studySettings, 'start another study');
  return {
    ...settings,
    configuration: validateConfiguration(settings.configuration, path),
  };
}

/**
 * Creates the folder of a study. If the study exists, its settings must be the same. Several processes may
 * call this at once.
 *
 * @example
 * await createStudy('studies/sewer', { configuration, search: { batchSize: { kind: 'choice', values: [64, 128] } }, metric: 'mAP', seed: 0, eta: 3, minEpochs: 1 });
 */
export async function createStudy(folder: string, settings: StudySettings): Promise<void> {
  const path = studyPath(folder);
  // A process that was killed before it wrote the study left a lock, or a file in the making.
  const isForeign = (name: string) => !name.startsWith('lock') && !isPartial(name);
  if (!existsSync(path) && existsSync(folder) && readdirSync(folder).some(isForeign))
    throw new UserError(`${folder} is not empty and holds no study; choose another folder`);
  mkdirSync(folder, { recursive: true });
  await withStudyLock(folder, () => {
    const known = readStudy(folder);
    if (!known) writeWhole(path, `${JSON.stringify(settings, null, 2)}\n`);
    else refuseChange(folder, known, settings);
  });
}

/** Throws if settings differ, and names the field. */
export function refuseChange(folder: string, known: StudySettings, given: StudySettings): void {
  const [difference] = differingFields(dottedFields(known), dottedFields(given));
  if (!difference) return;
  const { field, first, second } = difference;
  throw new UserError(
    `${folder}: the study has ${field} ${first ?? 'unset'}, not ${second ?? 'unset'}; a study's settings are fixed: omit the option or start another study`,
  );
}

function studyPath(folder: string): string {
  return join(folder, 'study.json');
}
