// Prepares a machine for tensors: finds, installs or downloads libtorch, builds the native libraries into the user's
// cache or takes prebuilt ones, and selects them for programs to use. What already exists is left alone.

import { accessSync, constants, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { homeFolder, takeSharedLock } from '@anyclass/files';
import { type LinkedLibtorch, selectBuild } from '@anyclass/torch/builds';
import { type BuiltLibrary, buildLibrary } from './buildLibrary.js';
import { checkLoading, isSelected } from './checkLoading.js';
import { findOrInstallCompiler } from './compiler.js';
import { hasApt, installCompanions, installDebianPackages, libtorchPackages } from './debian.js';
import { type DownloadWish, downloadLibtorch } from './downloadLibtorch.js';
import { engineProject } from './engineProject.js';
import { lookForLibtorch } from './findLibtorch.js';
import { findPrebuilt, fittingLibraries, installPrebuilt, type PrebuiltSource } from './prebuilt.js';
import type { NativeProject } from './project.js';
import { type Log, SetupError } from './shell.js';

export interface SetupOptions {
  /** Libraries to build besides the engine. */
  readonly projects?: readonly NativeProject[];
  /** A package of prebuilt libraries, used if it is installed and matches. */
  readonly prebuilt?: PrebuiltSource;
  /** Downloads libtorch instead of looking for the system's own. */
  readonly download?: DownloadWish;
  /** Called with a line for each step. Default: silent. */
  readonly log?: Log;
}

export interface SetupResult {
  readonly libtorch: LinkedLibtorch;
  readonly libraries: readonly {
    readonly path: string;
    /** The compiler, or the package of prebuilt libraries. */
    readonly builder: string;
    /** False if it was already there. */
    readonly isNew: boolean;
  }[];
}

/**
 * Finds, installs or downloads libtorch, and builds the engine and other native libraries that the cache lacks. Writes
 * only to the folder in `ANYCLASS_HOME` (default `~/.cache/anyclass`), except that as root on Debian or Ubuntu it
 * installs missing packages.
 *
 * @example
 * const { libtorch } = await setup({ projects: [fusedProject], log: console.error });
 * libtorch.version // '1.13.1'
 */
export async function setup(options: SetupOptions = {}): Promise<SetupResult> {
  const { log = () => {} } = options;
  using _lock = await lockSetup(writableHome(), log);
  const libtorch = await provideLibtorch(options, log);
  const projects = [engineProject, ...(options.projects ?? [])];
  const built =
    (await takePrebuilt(projects, options.prebuilt, libtorch, log)) ??
    (await buildAll(projects, libtorch, log));
  for (const { library, build } of built) selectBuild(library, build, libtorch);
  return {
    libtorch,
    libraries: built.map(({ path, builder, isNew }) => ({ path, builder, isNew })),
  };
}

/** One setup runs at a time, which saves a second process the work. It is not needed for safety: builds are all or nothing. */
function lockSetup(home: string, log: Log): Promise<Disposable> {
  return takeSharedLock(join(home, 'setup.lock'), {
    pause: 100,
    onWait: (holder) =>
      log(`waiting for another setup${holder ? ` (process ${holder.pid} on ${holder.host})` : ''}`),
  });
}

async function provideLibtorch({ download }: SetupOptions, log: Log): Promise<LinkedLibtorch> {
  const { libtorch, failure } = lookForLibtorch(download?.variant);
  if (failure !== undefined) throw new SetupError(failure);
  if (libtorch) {
    if (libtorch.origin === 'system') installCompanions(log);
    return libtorch;
  }
  if (download) return downloadLibtorch(download, { log });
  if (!hasApt()) throw new SetupError(noLibtorch, 'no-libtorch');
  log('libtorch is not installed; installing it');
  installDebianPackages(libtorchPackages, log);
  const installed = lookForLibtorch().libtorch;
  if (installed) return installed;
  throw new SetupError(
    'libtorch-dev is installed, but its headers or libraries are not where Debian puts them',
  );
}

const noLibtorch =
  "libtorch not found: unpack libtorch 1.13 or newer from pytorch.org and set LIBTORCH to its folder, set LIBTORCH_USE_PYTORCH=1 to use python3's torch, or ask for a download";

/** Returns undefined if no prebuilt libraries match and load; `log` gets the reason. */
async function takePrebuilt(
  projects: readonly NativeProject[],
  source: PrebuiltSource | undefined,
  libtorch: LinkedLibtorch,
  log: Log,
): Promise<BuiltLibrary[] | undefined> {
  const found = source && findPrebuilt(source);
  if (!found) return undefined;
  const fitting = fittingLibraries(found, projects, libtorch);
  const installed =
    typeof fitting === 'string' ? fitting : await installPrebuilt(found, fitting, projects, libtorch);
  if (typeof installed !== 'string') return installed;
  log(installed);
  return undefined;
}

async function buildAll(
  projects: readonly NativeProject[],
  libtorch: LinkedLibtorch,
  log: Log,
): Promise<BuiltLibrary[]> {
  if (libtorch.include.length === 0) {
    throw new SetupError(
      `libtorch ${libtorch.version} in ${libtorch.lib} has no headers to build against (Debian, Ubuntu: apt-get install -y libtorch-dev)`,
    );
  }
  const compiler = findOrInstallCompiler(log);
  const built: BuiltLibrary[] = [];
  for (const project of projects) {
    const linked = project.library.usesLibtorch ? libtorch : undefined;
    built.push(await buildLibrary({ project, compiler, libtorch: linked, log }));
  }
  if (built.every((library) => isSelected(library, libtorch))) return built;
  const problem = checkLoading(built);
  if (problem === undefined) return built;
  throw new SetupError(`the libraries are built but cannot be loaded: ${problem}`);
}

function writableHome(): string {
  const home = homeFolder();
  try {
    mkdirSync(home, { recursive: true });
    accessSync(home, constants.W_OK);
    return home;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new SetupError(`${home} cannot be written (${reason}); set ANYCLASS_HOME to a writable folder`);
  }
}
