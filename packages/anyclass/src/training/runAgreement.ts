// What must be the same on all ranks before they train together.

import { createHash } from 'node:crypto';
import { engineInfo } from '@anyclass/torch';
import type { Configuration } from '../configuration/schema.js';
import { checkAgreement } from '../distribution/agreement.js';
import type { Ranks } from '../distribution/ranks.js';
import { version } from '../runs/version.js';
import { datasetFingerprint, type RunData } from './dataForRun.js';

export function runVersions(): Readonly<Record<'anyclass' | 'node' | 'libtorch', string>> {
  return { anyclass: version(), node: process.version, libtorch: engineInfo().version };
}

/** Throws on every rank if one of them would train something different. */
export async function checkRunAgreement(
  ranks: Ranks,
  configuration: Configuration,
  data: RunData,
): Promise<void> {
  const { anyclass, libtorch } = runVersions();
  await checkAgreement(ranks, {
    'anyclass version': anyclass,
    'libtorch version': libtorch,
    ...configurationFields(configuration),
    'data (names, labels and splits)': short(datasetFingerprint(data.dataset)),
    'training rows': short(createHash('sha256').update(data.trainingRows).digest('hex')),
  });
}

/** Paths and core counts may differ between machines; what matters about them is compared separately. */
const ofMachines = ['data.dataset', 'data.cache', 'data.imageFolder', 'network.weights', 'threads'];

function configurationFields(configuration: Configuration): Record<string, string> {
  const fields: Record<string, string> = {};
  const add = (value: unknown, name: string) => {
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      for (const [key, inner] of Object.entries(value)) add(inner, name === '' ? key : `${name}.${key}`);
    } else if (!ofMachines.includes(name) && value !== undefined) fields[name] = JSON.stringify(value);
  };
  add(configuration, '');
  return fields;
}

function short(hash: string): string {
  return hash.slice(0, 12);
}
