// Paths in a configuration: in a file they are relative to that file, everywhere else to the current folder.

import { isAbsolute, join, relative, resolve } from 'node:path';
import { datasetText, parseDataset, withDatasetPaths } from '../data/datasetSpec.js';
import { isWeightsPath } from '../networks/weights/weightsName.js';
import { isPlainObject, type PlainObject } from './overrides.js';

/** The data fields that hold a path, except for `dataset`, which may hold several. */
const pathFields = ['imageFolder', 'features', 'corrections', 'splitFolder', 'cache'] as const;

/**
 * The fields of a configuration file in `folder`, with paths relative to the current folder, as in messages.
 *
 * @example
 * pathsFromFile({ data: { dataset: '../pipes.csv' } }, 'experiments') // { data: { dataset: 'pipes.csv' } }
 */
export function pathsFromFile(fields: PlainObject, folder: string): PlainObject {
  if (folder === '.') return fields;
  return withPaths(fields, (path) => (isAbsolute(path) ? path : join(folder, path)), folder);
}

/**
 * The fields for a configuration file in `folder`, from fields with paths relative to the current folder.
 *
 * @example
 * pathsForFile({ data: { dataset: 'pipes.csv' } }, 'experiments') // { data: { dataset: '../pipes.csv' } }
 */
export function pathsForFile(fields: PlainObject, folder: string): PlainObject {
  if (resolve(folder) === resolve('.')) return fields;
  return withPaths(fields, (path) => (isAbsolute(path) ? path : relative(folder, path) || '.'));
}

/**
 * The fields of a configuration, with its paths mapped.
 *
 * @param base what its paths are relative to: whether one exists decides how `data.dataset` is read
 *
 * @example
 * withPaths({ network: { weights: 'a.pth' } }, (path) => resolve(path)) // { network: { weights: '/home/ada/a.pth' } }
 */
export function withPaths(fields: PlainObject, change: (path: string) => string, base = '.'): PlainObject {
  const { data, network, teacher } = fields;
  return {
    ...fields,
    ...(isPlainObject(data) && { data: withDataPaths(data, change, base) }),
    ...(isPlainObject(network) && { network: withWeightsPath(network, change) }),
    ...(isPlainObject(teacher) && { teacher: withModelPaths(teacher, change) }),
  };
}

function withDataPaths(data: PlainObject, change: (path: string) => string, base: string): PlainObject {
  const changed = pathFields.flatMap((name) => {
    const path = data[name];
    return typeof path === 'string' ? [[name, change(path)] as const] : [];
  });
  const result: PlainObject = { ...data, ...Object.fromEntries(changed) };
  const { dataset } = data;
  if (typeof dataset !== 'string' || dataset === '') return result;
  const spec = parseDataset(dataset, base);
  return { ...result, dataset: datasetText(withDatasetPaths(spec, change)) };
}

function withModelPaths(teacher: PlainObject, change: (path: string) => string): PlainObject {
  const { models } = teacher;
  const changed = (model: unknown) => (typeof model === 'string' ? change(model) : model);
  return { ...teacher, models: Array.isArray(models) ? models.map(changed) : changed(models) };
}

function withWeightsPath(network: PlainObject, change: (path: string) => string): PlainObject {
  const { weights } = network;
  if (typeof weights !== 'string' || !isWeightsPath(weights)) return network;
  const path = change(weights);
  // In a folder called timm it is still a path, not a published name.
  return { ...network, weights: isWeightsPath(path) ? path : `./${path}` };
}
