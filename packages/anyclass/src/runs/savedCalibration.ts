// The calibration of a run, beside its scores: those are saved as the network gave them.

import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import type { Calibration } from '@anyclass/core';
import { z } from 'zod';
import { readWhole, writeWhole } from '../files/wholeFile.js';
import { checksumText, verifyScoreFile } from './scoreChecksums.js';

const file = 'calibration.json';

const calibrations = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('temperature'),
    temperature: z.number().positive(),
    atBound: z.boolean(),
    fittedOn: z.string().nullable(),
  }),
  z.object({
    kind: z.literal('platt'),
    classNames: z.array(z.string()),
    slopes: z.array(z.number()),
    intercepts: z.array(z.number()),
    undefinedClasses: z.array(z.string()),
    fittedOn: z.string().nullable(),
  }),
]);

/** Writes the calibration into a folder of scores, if there is one; returns its checksum by file name. */
export function saveCalibration(
  folder: string,
  calibration: Calibration | undefined,
): Record<string, string> {
  if (!calibration) {
    rmSync(join(folder, file), { force: true });
    return {};
  }
  const text = `${JSON.stringify(calibration, null, 2)}\n`;
  writeWhole(join(folder, file), text);
  return { [file]: checksumText(crc32(text)) };
}

/** Reads the calibration of a folder of scores; undefined if the scores need none. */
export function savedCalibration(folder: string): Calibration | undefined {
  const path = join(folder, file);
  if (!existsSync(path)) return undefined;
  verifyScoreFile(path);
  return readWhole(path, calibrations, 'resume the run to rewrite its scores');
}
