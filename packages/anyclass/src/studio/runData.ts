// The data of runs: opened when an image is first asked for, once for all runs that read it alike, and only if all of it is below
// Studio's folders.

import { existsSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { preparedOptions } from '../configuration/openOptions.js';
import { withPaths } from '../configuration/paths.js';
import type { Configuration } from '../configuration/schema.js';
import { closeDataset, type Dataset } from '../data/dataset/dataset.js';
import type { StoredImage } from '../data/dataset/imageSource.js';
import { openPrepared } from '../data/openPrepared.js';
import { shellLine } from '../errors/shellLine.js';
import { UserError } from '../errors/userError.js';
import { openRun, runPaths } from '../runs/runFolder.js';
import { bounded } from './bounded.js';
import type { FoundRun } from './findRuns.js';
import { type Folder, realBelow } from './folders.js';

/** A run's data, and its rows by name. */
export interface RunData {
  readonly dataset: Dataset;
  readonly configuration: Configuration;
  /** Changes with the way in which the data is read. */
  readonly key: string;
  /** Reads an image by its name; throws if there is none, or if its file is not below the folders. */
  read(name: string): Promise<StoredImage>;
  rowOf(name: string): number | undefined;
  isOfTest(name: string): boolean;
}

export interface OpenData {
  of(run: FoundRun): Promise<RunData>;
  close(): Promise<void>;
}

/** Datasets that stay open. */
const mostOpen = 4;

/**
 * Creates a store of opened data.
 *
 * @example
 * const { dataset } = await openData(folders).of(run);
 */
export function openData(folders: readonly Folder[]): OpenData {
  const closing = new Set<Promise<unknown>>();
  const opened = bounded<Promise<RunData>>(
    mostOpen,
    () => 1,
    (data) => {
      const closed = data.then(({ dataset }) => closeDataset(dataset)).catch(() => {});
      closing.add(closed);
      void closed.then(() => closing.delete(closed));
    },
  );
  const configurations = bounded<Configuration>(1000, () => 1);
  const configurationOf = ({ path }: FoundRun): Configuration => {
    const stamp = `${path}\n${statSync(runPaths(path).config, { throwIfNoEntry: false })?.mtimeMs}`;
    const known = configurations.get(stamp) ?? openRun(path).record.configuration;
    configurations.set(stamp, known);
    return known;
  };
  return {
    async of(run) {
      const configuration = configurationOf(run);
      const key = JSON.stringify(configuration.data);
      const known = opened.get(key);
      if (known) return known;
      const data = openConfigured(configuration, folders);
      opened.set(key, data);
      // What failed may succeed after the user mended it.
      data.catch(() => opened.delete(key));
      return data;
    },
    async close() {
      opened.clear();
      await Promise.all(closing);
    },
  };
}

/** Opens the data of a run folder. */
export function openRunData(path: string, folders: readonly Folder[]): Promise<RunData> {
  return openConfigured(openRun(path).record.configuration, folders);
}

async function openConfigured(configuration: Configuration, folders: readonly Folder[]): Promise<RunData> {
  checkPlaces(configuration, folders);
  // Look-alikes are for drawing splits; finding them reads every image.
  const { groups: _, ...options } = preparedOptions(configuration.data);
  const dataset = guarded(await openPrepared(configuration.data.dataset, options), folders);
  const { names, images } = dataset;
  if (images.absent !== undefined) throw new UserError(`There are no images: ${images.absent}`);
  const rows = new Map<string, number>();
  for (let row = names.length - 1; row >= 0; row--) rows.set(names.at(row), row);
  const test = new Set(dataset.splits.test);
  return {
    dataset,
    configuration,
    key: JSON.stringify(configuration.data),
    rowOf: (name) => rows.get(name),
    isOfTest: (name) => test.has(rows.get(name) ?? -1),
    async read(name) {
      const row = rows.get(name);
      if (row === undefined) throw new UserError(`${dataset.name} has no image '${name}'`);
      return images.read(row);
    },
  };
}

/** The same data, whose images are read only if their files are really below the folders, links resolved. */
function guarded(dataset: Dataset, folders: readonly Folder[]): Dataset {
  const { images } = dataset;
  return {
    ...dataset,
    images: {
      ...images,
      async read(row) {
        const path = images.path?.(row);
        if (path !== undefined && realBelow(folders, path) === undefined)
          throw new UserError(`${path} is not there, or outside of the folders of Studio`);
        return images.read(row);
      },
    },
  };
}

/** Throws if the configuration of a run, which may come from anywhere, names a file outside of Studio's folders. */
function checkPlaces({ data }: Pick<Configuration, 'data'>, folders: readonly Folder[]): void {
  for (const path of pathsOf(data)) {
    if (!existsSync(path))
      throw new UserError(`${path} is not there any more, so its images cannot be shown`);
    if (realBelow(folders, path) === undefined) {
      const command = shellLine(['anyclass', 'studio', ...folders.map(({ given }) => given), path]);
      throw new UserError(
        `The images are in ${path}, outside of the folders of Studio; to show them, start it with: ${command}`,
      );
    }
  }
}

/** The paths that a configuration's data names, without the cache, which is not needed for pictures. */
function pathsOf(data: Configuration['data']): string[] {
  const paths: string[] = [];
  const { cache: _cache, ...rest } = data;
  withPaths({ data: rest }, (path) => {
    paths.push(resolve(path));
    return path;
  });
  // A pattern names files in its folder.
  return paths.map((path) => path.replace(/\/[^/]*\*.*$/, ''));
}
