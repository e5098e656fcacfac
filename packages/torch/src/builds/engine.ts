// The engine's native library, and the build of it that this process uses.

import { fileURLToPath } from 'node:url';
import { homeFolder } from '@anyclass/files';
import { type FoundBuild, findBuild, findBuildFor, type LinkedLibtorch, libtorchBytes } from './build.js';
import type { NativeLibrary } from './nativeLibrary.js';

export const engineLibrary: NativeLibrary = {
  packageFolder: fileURLToPath(new URL('../..', import.meta.url)),
  sourceFolders: [
    'native',
    'native/distributed',
    ...['', '/common', '/rendezvous', '/transport'].map((folder) => `native/distributed/gloo${folder}`),
  ],
  file: 'torch.node',
  usesLibtorch: true,
};

/** The engine is not set up, or cannot be loaded; the message says what to run. */
export class EngineError extends Error {
  override readonly name = 'EngineError';
}

interface EngineBuild extends FoundBuild {
  readonly libtorch: LinkedLibtorch;
}

let found: EngineBuild | undefined;

/**
 * Returns the build that this process uses. It stays the same even if setup selects another libtorch meanwhile.
 *
 * @example
 * engineBuild().libtorch.lib // '/usr/lib/x86_64-linux-gnu'
 */
export function engineBuild(): EngineBuild {
  found ??= findEngine();
  return found;
}

/**
 * Returns the path of an operator library built for this process's libtorch.
 *
 * @example
 * loadLibrary(operatorLibrary(fusedLibrary))
 */
export function operatorLibrary(library: NativeLibrary): string {
  const { libtorch } = engineBuild();
  const build = findBuildFor(library, libtorch);
  if (build) return build.path;
  throw new EngineError(
    `${library.file} is not built for libtorch ${libtorch.version} (${libtorch.origin}): run 'npx anyclass setup'`,
  );
}

function findEngine(): EngineBuild {
  const build = findBuild(engineLibrary);
  if (!build?.libtorch) throw new EngineError(missing());
  const { libtorch } = build;
  if (libtorchBytes(libtorch) !== build.libtorchBytes) {
    throw new EngineError(
      `libtorch in ${libtorch.lib} is gone or has changed since setup: run 'npx anyclass setup'`,
    );
  }
  return { ...build, libtorch };
}

function missing(): string {
  const { LIBTORCH, LIBTORCH_USE_PYTORCH } = process.env;
  const wanted = LIBTORCH
    ? ` for LIBTORCH=${LIBTORCH}`
    : LIBTORCH_USE_PYTORCH === '1'
      ? ' for LIBTORCH_USE_PYTORCH=1'
      : '';
  return `libtorch is not set up${wanted} (nothing built in ${homeFolder()}): run 'npx anyclass setup'`;
}
