// A built library in the cache. Each build is a folder that is complete or absent; small files next to it name the one to use.
//
//   native/LIBRARY/BUILD/build.json      what it was built from and for
//   native/LIBRARY/BUILD/torch.node
//   native/LIBRARY/selected/last         the name of the build that the last setup made or found
//   native/LIBRARY/selected/python       the same with LIBTORCH_USE_PYTORCH=1
//   native/LIBRARY/selected/HASH         the same for the libtorch in one folder

import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { writeFileAtomically } from '@anyclass/files';
import { buildsFolder, type NativeLibrary } from './nativeLibrary.js';

/** The libtorch that a library is linked with. */
export interface LinkedLibtorch {
  /** How it was found: `LIBTORCH`, `python3`, `system` or `download`. */
  readonly origin: string;
  readonly version: string;
  readonly include: readonly string[];
  /** The folder of its libraries. */
  readonly lib: string;
  /** The library in that folder that does the computing, such as `libtorch_cpu.so`. */
  readonly file: string;
  /** The CUDA toolkit's folder, if libtorch was built with CUDA. */
  readonly cuda: string | undefined;
  /** Flags for the C++ compiler. */
  readonly flags: readonly string[];
}

/** What `build.json` records. */
export interface Build {
  readonly library: string;
  /** The compiler, such as `g++ 12.2.0`, or the package that the prebuilt library came from. */
  readonly builder: string;
  /** Undefined for a library that does not use libtorch. */
  readonly libtorch: LinkedLibtorch | undefined;
  /** The size of libtorch's file. If it differs, another libtorch is now in the same place. */
  readonly libtorchBytes: number | undefined;
}

export interface FoundBuild extends Build {
  readonly folder: string;
  /** The library itself. */
  readonly path: string;
}

/**
 * Returns the build to use, or undefined if setup has not made one. `LIBTORCH` and `LIBTORCH_USE_PYTORCH=1` select
 * the build for that libtorch; otherwise it is the one from the last setup.
 *
 * @example
 * findBuild(engineLibrary)?.libtorch?.version // '1.13.1'
 */
export function findBuild(library: NativeLibrary): FoundBuild | undefined {
  return openBuild(library, library.usesLibtorch ? requested() : 'last');
}

/**
 * Returns the build of a library for one particular libtorch, if any.
 *
 * @example
 * findBuildFor(fusedLibrary, engineBuild().libtorch)?.path
 */
export function findBuildFor(library: NativeLibrary, libtorch: LinkedLibtorch): FoundBuild | undefined {
  return openBuild(library, library.usesLibtorch ? nameOfLibtorch(libtorch.lib) : 'last');
}

/** Selects a build as the one to use; if the library uses libtorch, the one to use with this libtorch. */
export function selectBuild(library: NativeLibrary, folderName: string, libtorch: LinkedLibtorch): void {
  const selected = join(buildsFolder(library), 'selected');
  mkdirSync(selected, { recursive: true });
  const names = library.usesLibtorch ? ['last', nameOfLibtorch(libtorch.lib)] : ['last'];
  if (library.usesLibtorch && libtorch.origin === 'python3') names.push('python');
  for (const name of names) writeFileAtomically(join(selected, name), (write) => write(folderName));
}

/** Returns the size of libtorch's file, which identifies it, or undefined if the file is gone. */
export function libtorchBytes({ file }: LinkedLibtorch): number | undefined {
  return statSync(file, { throwIfNoEntry: false })?.size;
}

function requested(): string {
  const { LIBTORCH, LIBTORCH_USE_PYTORCH } = process.env;
  if (LIBTORCH) return nameOfLibtorch(join(LIBTORCH, 'lib'));
  return LIBTORCH_USE_PYTORCH === '1' ? 'python' : 'last';
}

function nameOfLibtorch(lib: string): string {
  const place = existsSync(lib) ? realpathSync(lib) : lib;
  return createHash('sha256').update(place).digest('hex').slice(0, 12);
}

function openBuild(library: NativeLibrary, name: string): FoundBuild | undefined {
  const builds = buildsFolder(library);
  const pointer = join(builds, 'selected', name);
  if (!existsSync(pointer)) return undefined;
  const folder = join(builds, readFileSync(pointer, 'utf8'));
  const record = join(folder, 'build.json');
  const path = join(folder, library.file);
  if (!existsSync(record) || !existsSync(path)) return undefined;
  const build: Build = JSON.parse(readFileSync(record, 'utf8'));
  return { ...build, folder, path };
}
