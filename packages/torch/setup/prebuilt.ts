// Libraries that were built elsewhere and come in an npm package for the platform, so that no compiler is needed. They
// contain a placeholder for libtorch's path, which is filled in when they are copied into the cache.

import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import {
  type Build,
  buildsFolder,
  type LinkedLibtorch,
  libraryKey,
  libtorchBytes,
} from '@anyclass/torch/builds';
import { type BuiltLibrary, wholeFolder } from './buildLibrary.js';
import { checkLoading, isSelected } from './checkLoading.js';
import type { NativeProject } from './project.js';
import { SetupError } from './shell.js';

/** Where to look for a package of prebuilt libraries. */
export interface PrebuiltSource {
  readonly packageName: string;
  /** A file in the package that depends on it. */
  readonly from: string;
}

/** What `prebuilt.json` in such a package lists. */
export interface PrebuiltLibrary {
  /** The library's key, which changes with its sources. */
  readonly library: string;
  readonly file: string;
  /** Null for a library that does not use libtorch. */
  readonly libtorch: {
    /** For example, `2.13`. */
    readonly version: string;
    /** The libtorch files that it is linked with. */
    readonly files: readonly string[];
  } | null;
}

/** Long enough for any path; setup overwrites it with libtorch's folder. */
export const runPathPlaceholder = `/anyclass-libtorch${'/placeholder'.repeat(60)}`;

export interface PrebuiltPackage {
  /** Name with version. */
  readonly name: string;
  readonly folder: string;
  readonly libraries: readonly PrebuiltLibrary[];
}

/** Finds the package; undefined if it is not installed. */
export function findPrebuilt({ packageName, from }: PrebuiltSource): PrebuiltPackage | undefined {
  let manifest: string;
  try {
    manifest = createRequire(from).resolve(`${packageName}/package.json`);
  } catch {
    return undefined;
  }
  const folder = dirname(manifest);
  const { version }: { version: string } = JSON.parse(readFileSync(manifest, 'utf8'));
  const libraries: PrebuiltLibrary[] = JSON.parse(readFileSync(join(folder, 'prebuilt.json'), 'utf8'));
  return { name: `${packageName} ${version}`, folder, libraries };
}

/** Returns, for each project, the prebuilt libraries that match a libtorch, best first; or why there are none. */
export function fittingLibraries(
  { name, libraries }: PrebuiltPackage,
  projects: readonly NativeProject[],
  libtorch: LinkedLibtorch,
): PrebuiltLibrary[][] | string {
  if (existsSync(join(libtorch.lib, 'libtorch_cuda.so'))) {
    return `${name} is for the CPU, but libtorch in ${libtorch.lib} has CUDA`;
  }
  const fitting: PrebuiltLibrary[][] = [];
  for (const { library, title } of projects) {
    const own = libraries.filter((candidate) => candidate.library === libraryKey(library));
    if (own.length === 0) return `${name} was built from other sources of ${title}`;
    const found = own.filter(
      (candidate) => candidate.libtorch === null || fits(candidate.libtorch, libtorch),
    );
    if (found.length === 0) {
      const versions = own.flatMap((candidate) => candidate.libtorch?.version ?? []);
      return `${name} is for libtorch ${versions.join(', ')}, not ${libtorch.version} as in ${libtorch.lib}`;
    }
    fitting.push(found);
  }
  return fitting;
}

/** Copies prebuilt libraries for a libtorch into the cache: for each project the first that loads. Or returns why none does. */
export async function installPrebuilt(
  found: PrebuiltPackage,
  fitting: readonly (readonly PrebuiltLibrary[])[],
  projects: readonly NativeProject[],
  libtorch: LinkedLibtorch,
): Promise<BuiltLibrary[] | string> {
  const installed: BuiltLibrary[] = [];
  for (const [i, project] of projects.entries()) {
    let problem: string | undefined = 'it is missing';
    for (const candidate of fitting[i] ?? []) {
      const copy = await copyLibrary(found, candidate, project, libtorch);
      // The engine comes first; the libraries that it loads need it.
      problem = isSelected(copy, libtorch) ? undefined : checkLoading([...installed.slice(0, 1), copy]);
      if (problem !== undefined) continue;
      installed.push(copy);
      break;
    }
    if (problem !== undefined) return `${found.name}: ${project.title} does not load here: ${problem}`;
  }
  return installed;
}

async function copyLibrary(
  { name, folder }: PrebuiltPackage,
  prebuilt: PrebuiltLibrary,
  { library }: NativeProject,
  libtorch: LinkedLibtorch,
): Promise<BuiltLibrary> {
  const bytes = readFileSync(join(folder, prebuilt.file));
  const placed = prebuilt.libtorch ? withRunPath(bytes, libtorch.lib) : bytes;
  const hash = createHash('sha256').update(placed).digest('hex').slice(0, 12);
  const build = `${prebuilt.libtorch ? `libtorch-${libtorch.version}-` : ''}prebuilt-${hash}`;
  const target = join(buildsFolder(library), build);
  const isNew = !existsSync(target);
  if (isNew) {
    await wholeFolder(target, async (draft) => {
      writeFileSync(join(draft, library.file), placed, { mode: 0o755 });
      const record: Build = {
        library: prebuilt.library,
        builder: name,
        libtorch: prebuilt.libtorch ? libtorch : undefined,
        libtorchBytes: prebuilt.libtorch ? libtorchBytes(libtorch) : undefined,
      };
      writeFileSync(join(draft, 'build.json'), `${JSON.stringify(record, null, 2)}\n`);
    });
  }
  return { library, build, path: join(target, library.file), builder: name, isNew };
}

function fits(wanted: NonNullable<PrebuiltLibrary['libtorch']>, libtorch: LinkedLibtorch): boolean {
  return (
    libtorch.version.split('.').slice(0, 2).join('.') === wanted.version &&
    wanted.files.every((file) => existsSync(join(libtorch.lib, file)))
  );
}

/** Returns the library with libtorch's folder, zero-terminated, in place of the placeholder. */
function withRunPath(bytes: Buffer, lib: string): Buffer {
  const at = bytes.indexOf(runPathPlaceholder);
  if (at < 0) throw new SetupError('a prebuilt library has no placeholder for the path of libtorch');
  const path = Buffer.from(lib);
  if (path.length > runPathPlaceholder.length)
    throw new SetupError(`${lib} is too long a path for prebuilt libraries`);
  const placed = Buffer.from(bytes);
  placed.fill(0, at, at + runPathPlaceholder.length);
  path.copy(placed, at);
  return placed;
}
