// Paths in a configuration: in a file they are relative to that file, everywhere else to the current folder.

import { isAbsolute, join, relative, resolve } from 'node:path';
import { datasetText, parseDataset, withDatasetPaths } from '../data/datasetSpec.js';
import { isPlainObject, type PlainObject } from './overrides.js';

/** All fields that hold a path, except for `data.dataset`, which may hold several. */
const pathFields = { data: ['imageFolder', 'splitFolder', 'cache'], network: ['weights'] } as const;

/**
 * The fields of a configuration file in `folder`, with paths relative to the current folder: messages show them so.
 *
 * @example
 * pathsFromFile({ data: { dataset: '../pipes.csv' } }, 'experiments') // { data: { dataset: 'pipes.csv' } }
 */
export function pathsFromFile(fields: PlainObject, folder: string): PlainObject {
  if (folder === '.') return fields;
  return withPaths(fields, (path) => (isAbsolute(path) ? path : join(folder, path)), folder);
}

/**
 * The fields for a configuration file in `folder`, from ones with paths relative to the current folder.
 *
 * @example
 * pathsForFile({ data: { dataset: 'pipes.csv' } }, 'experiments') // { data: { dataset: '../pipes.csv' } }
 */
export function pathsForFile(fields: PlainObject, folder: string): PlainObject {
  if (resolve(folder) === resolve('.')) return fields;
  return withPaths(fields, (path) => (isAbsolute(path) ? path : relative(folder, path) || '.'));
}

/**
 * The fields of a configuration, with other paths.
 *
 * @param base what its paths are relative to: whether one exists decides how `data.dataset` is read
 *
 * @example
 * withPaths({ network: { weights: 'a.pth' } }, (path) => resolve(path)) // { network: { weights: '/home/ada/a.pth' } }
 */
export function withPaths(fields: PlainObject, change: (path: string) => string, base = '.'): PlainObject {
  const result = { ...fields };
  for (const [part, names] of Object.entries(pathFields)) {
    const group = fields[part];
    if (!isPlainObject(group)) continue;
    const changed = names.flatMap((name) => {
      const path = group[name];
      return typeof path === 'string' ? [[name, change(path)] as const] : [];
    });
    result[part] = { ...group, ...Object.fromEntries(changed) };
  }
  const { data } = result;
  if (isPlainObject(data) && typeof data['dataset'] === 'string' && data['dataset'] !== '') {
    const spec = parseDataset(data['dataset'], base);
    result['data'] = { ...data, dataset: datasetText(withDatasetPaths(spec, change)) };
  }
  return result;
}
