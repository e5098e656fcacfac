// How a DATASET on the command line is read; the same options for every command that takes one.

import { z } from 'zod';
import { type Dataset, openDataset } from '../data/index.js';
import type { OpenOptions } from '../data/openDataset.js';

export const datasetFields = {
  dataset: z
    .string()
    .describe(
      'a folder, .csv, .json or .parquet (several with commas or *), NAME=DIR (sewerml, chestxray14, coco-41, coco-animals), or digits',
    ),
  imageFolder: z.string().optional().describe('where the images of a table are').meta({ placeholder: 'DIR' }),
  imageColumn: z.string().optional().describe('the column of file names').meta({ placeholder: 'NAME' }),
  labelColumn: z
    .string()
    .optional()
    .describe('the one column of separated labels')
    .meta({ placeholder: 'NAME' }),
  groupColumn: z
    .string()
    .optional()
    .describe('rows that must stay in one split, such as a patient')
    .meta({ placeholder: 'NAME' }),
  keep: z
    .array(z.string())
    .optional()
    .describe('keep this class; may be repeated')
    .meta({ placeholder: 'CLASS' }),
  drop: z
    .array(z.string())
    .optional()
    .describe('leave this class out; may be repeated')
    .meta({ placeholder: 'CLASS' }),
  splitFolder: z
    .string()
    .optional()
    .describe('folder with train.txt, validation.txt and test.txt')
    .meta({ placeholder: 'DIR' }),
};

const schema = z.object(datasetFields);

/** Opens the dataset that the options name. */
export function openChosenDataset(options: z.output<typeof schema>): Promise<Dataset> {
  const { dataset, ...fields } = schema.parse(options);
  const given: OpenOptions = Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined),
  );
  return openDataset(dataset, given);
}
