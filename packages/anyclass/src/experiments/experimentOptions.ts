// Options that `compare` and `sweep` share.

import { z } from 'zod';
import { recipeNames } from '../configuration/recipes.js';

export const experimentFields = {
  config: z.string().describe(`a .json, .mjs or .ts file, or one of ${recipeNames[0]}, ${recipeNames[1]}, …`),
  set: z
    .array(z.string())
    .default([])
    .describe('change a field of all runs, by its dotted name')
    .meta({ placeholder: 'FIELD=VALUE' }),
  out: z.string().describe('the folder of all runs, and of the result').meta({ placeholder: 'DIR' }),
  jobs: z
    .int()
    .positive()
    .optional()
    .describe('runs side by side on a device; default as GPU memory allows, 1 on the CPU'),
  devices: z
    .string()
    .optional()
    .describe('spread the runs over these')
    .meta({ placeholder: 'cuda:0,cuda:1' }),
  replicates: z.int().min(0).default(1000).describe('of the bootstrap; 0 leaves differences out'),
  noPrepare: z.boolean().default(false).describe('do not prepare the cache of images first'),
  json: z.boolean().default(false).describe('print JSON'),
};

/** With `--devices` a child sees its own GPU alone, which is `cuda` to it. */
export function deviceSetting(devices: string | undefined): string[] {
  if (devices === undefined) return [];
  return [devices.split(',').every((name) => name.trim() === 'cpu') ? 'device=cpu' : 'device=cuda'];
}
