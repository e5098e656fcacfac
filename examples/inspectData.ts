// Inspects a dataset before training: what is in it, what is wrong with it, and how to train on it.
//
//   node examples/dist/inspectData.js photos/labels.csv

import { inspectDataset, suggestConfiguration } from 'anyclass';

const [dataset = 'digits'] = process.argv.slice(2);

const { splits, classCounts, problems } = await inspectDataset(dataset, { limit: 500 });
for (const { split, positive, negative } of splits)
  console.log(`${split}: ${positive} positive, ${negative} negative`);
for (const { name, train } of classCounts) console.log(`  ${name}: ${train} in training`);
for (const { kind, text } of problems) console.log(`${kind}: ${text}`);

const { remarks } = await suggestConfiguration(dataset);
for (const remark of remarks) console.log(remark);
