// Options that select and override a configuration; the same for all commands that train.

import { z } from 'zod';
import { parseDevices, parseNumbers } from '../commandLine/grammar/lists.js';
import { recipeNames } from '../configuration/recipes.js';
import { settingOption } from './datasetOptions.js';
import { decisionFields } from './decisionOptions.js';

export const configText = `a .json, .jsonc, .mjs or .ts file, or one of ${recipeNames[0]}, ${recipeNames[1]}, …`;

export const dataField = z
  .string()
  .optional()
  .describe("dataset to use instead of the configuration's")
  .meta({ placeholder: 'DATASET' });

export const processesField = z
  .int()
  .positive()
  .default(1)
  .describe('processes that share the work of each run, usually one per GPU');

export function devicesField(what: string) {
  return z
    .string()
    .optional()
    .transform(ifGiven(parseDevices))
    .describe(what)
    .meta({ placeholder: 'cuda:0,cuda:1' });
}

/** Applies a grammar to an option that may be left out. */
export function ifGiven<Given, Value>(
  parse: (given: Given) => Value,
): (given: Given | undefined) => Value | undefined {
  return (given) => (given === undefined ? undefined : parse(given));
}

export function parseSeeds(text: string): number[] {
  return parseNumbers(text, 'seeds');
}

/** For comparisons of runs. */
export const replicatesField = z
  .int()
  .min(0)
  .default(1000)
  .describe(
    'bootstrap replicates; 0 disables differences. Replicates that refit decisions are capped to what fits in one minute',
  );

/** Options of `compare` and `sweep`, some of which `recommend` and `paper` also have. */
export const experimentFields = {
  seeds: z
    .string()
    .default('1,2,3')
    .transform(parseSeeds)
    .describe('seeds for weights, data order and augmentation')
    .meta({ placeholder: 'N,…' }),
  config: z.string().describe(configText),
  data: dataField,
  set: settingOption('set a field of all runs by its dotted name'),
  out: z.string().describe('folder for all runs and the results').meta({ placeholder: 'DIR' }),
  jobs: z
    .int()
    .positive()
    .optional()
    .describe('parallel runs per device; default as many as GPU memory allows, 1 on the CPU'),
  devices: devicesField('devices to spread the runs over'),
  processes: processesField,
  ...decisionFields,
  replicates: replicatesField,
  noPrepare: z.boolean().default(false).describe('do not fill the image cache before training'),
  json: z.boolean().default(false).describe('print JSON'),
};
