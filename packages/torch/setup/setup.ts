// Brings a machine to where tensors work: finds or installs libtorch, builds the native libraries into the user's cache, and makes
// them the ones that programs use. What is there already is left alone.

import { spawnSync } from 'node:child_process';
import { accessSync, constants, mkdirSync } from 'node:fs';
import { findBuildFor, homeFolder, type LinkedLibtorch, selectBuild } from '@anyclass/torch/builds';
import { type BuiltLibrary, buildLibrary } from './buildLibrary.js';
import { findOrInstallCompiler } from './compiler.js';
import { hasApt, installCompanions, installDebianPackages, libtorchPackages } from './debian.js';
import { engineProject } from './engineProject.js';
import { type LibtorchSearch, lookForLibtorch, type Try } from './findLibtorch.js';
import type { NativeProject } from './project.js';
import { type Log, SetupError } from './shell.js';

export interface SetupOptions {
  /** Libraries to build beside the engine's own. */
  readonly projects?: readonly NativeProject[];
  /** Takes a line for each thing that is done. Default: nothing is said. */
  readonly log?: Log;
}

export interface SetupResult {
  readonly libtorch: LinkedLibtorch;
  /** The ways to libtorch in their order, and what came of each. */
  readonly tries: readonly Try[];
  readonly libraries: readonly { readonly path: string; readonly builder: string; readonly isNew: boolean }[];
}

/**
 * Finds or installs libtorch and builds the engine and other native libraries, as far as the cache lacks them. Nothing is written
 * outside of the folder in `ANYCLASS_HOME`, by default `~/.cache/anyclass`.
 *
 * @example
 * const { libtorch } = await setup({ projects: [fusedProject], log: console.error });
 * libtorch.version // '1.13.1'
 */
export async function setup({ projects = [], log = () => {} }: SetupOptions = {}): Promise<SetupResult> {
  checkHome();
  const { libtorch, tries } = findOrInstallLibtorch(log);
  if (!libtorch) throw new SetupError(noLibtorch);
  const built: BuiltLibrary[] = [];
  for (const project of [engineProject, ...projects]) {
    const { usesLibtorch } = project.library;
    built.push(
      await buildLibrary({
        project,
        compiler: findOrInstallCompiler(log),
        libtorch: usesLibtorch ? libtorch : undefined,
        log,
      }),
    );
  }
  const isSelected = ({ library, path }: BuiltLibrary) => findBuildFor(library, libtorch)?.path === path;
  if (!built.every(isSelected)) checkLoading(built);
  for (const { library, build } of built) selectBuild(library, build, libtorch);
  return {
    libtorch,
    tries,
    libraries: built.map(({ path, builder, isNew }) => ({ path, builder, isNew })),
  };
}

const noLibtorch =
  'no libtorch here: unpack libtorch 1.13 or newer from pytorch.org and set LIBTORCH to its folder, or set LIBTORCH_USE_PYTORCH=1 to use the torch of python3';

function findOrInstallLibtorch(log: Log): LibtorchSearch {
  const search = lookForLibtorch();
  if (search.failure !== undefined) throw new SetupError(search.failure);
  if (search.libtorch) {
    if (search.libtorch.origin === 'system') installCompanions(log);
    return search;
  }
  if (!hasApt()) return search;
  log('libtorch is needed, and it is not installed');
  installDebianPackages(libtorchPackages, log);
  const after = lookForLibtorch();
  if (after.libtorch) return after;
  throw new SetupError(
    'libtorch-dev is installed, but its headers or libraries are not where Debian puts them',
  );
}

function checkHome(): void {
  const home = homeFolder();
  try {
    mkdirSync(home, { recursive: true });
    accessSync(home, constants.W_OK);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new SetupError(`${home} cannot be written (${reason}); set ANYCLASS_HOME to a folder that can`);
  }
}

/** Opens what was built in another process, so that a build which does not load here is never selected. */
function checkLoading(built: readonly BuiltLibrary[]): void {
  const program =
    'const [engine, ...others] = process.argv.slice(1); const { loadLibrary } = require(engine);' +
    "for (const file of others) file.endsWith('.node') ? require(file) : loadLibrary(file);";
  const paths = built.map(({ path }) => path);
  const { status, signal, stderr } = spawnSync(process.execPath, ['-e', program, ...paths], {
    encoding: 'utf8',
  });
  if (status === 0) return;
  const reason = /^\w*Error: .*$/m.exec(stderr)?.[0] ?? `ended with ${signal ?? `exit code ${status}`}`;
  throw new SetupError(`the libraries are built but cannot be loaded: ${reason}`);
}
