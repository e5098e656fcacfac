// Makes an npm package of prebuilt libraries for this platform. Maintainers run it on the oldest system to support.

import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type LinkedLibtorch, libraryKey } from '@anyclass/torch/builds';
import { compileObjects, linked } from './buildLibrary.js';
import { compile } from './compile.js';
import { findOrInstallCompiler, linkFlags } from './compiler.js';
import { describeLibtorch } from './describeLibtorch.js';
import { engineProject } from './engineProject.js';
import { lookForLibtorch } from './findLibtorch.js';
import { type PrebuiltLibrary, runPathPlaceholder } from './prebuilt.js';
import type { NativeProject } from './project.js';
import { type Log, output, SetupError } from './shell.js';

export interface PrebuildOptions {
  /** Libraries to build besides the engine. */
  readonly projects: readonly NativeProject[];
  /** Folders that each hold a CPU libtorch, or `system` for the system's own. */
  readonly libtorch: readonly string[];
  /** The package's folder, which may already hold its readme and license. */
  readonly out: string;
  readonly log: Log;
}

/**
 * Builds all libraries for each libtorch, with a placeholder for its path, and lists them in `prebuilt.json`. Node-API
 * libraries run in every version of Node.
 *
 * @example
 * await prebuild({ projects: [fusedProject], libtorch: ['system', '/opt/libtorch'], out: 'native', log: console.error });
 */
export async function prebuild({
  projects,
  libtorch,
  out,
  log,
}: PrebuildOptions): Promise<PrebuiltLibrary[]> {
  if (process.platform !== 'linux') throw new SetupError('prebuilt libraries can only be made on Linux');
  const all = [engineProject, ...projects];
  const found = libtorch.map(openLibtorch);
  const libraries: PrebuiltLibrary[] = [];
  for (const linkedTo of found) {
    for (const project of all.filter(({ library }) => library.usesLibtorch)) {
      libraries.push(...(await build(project, linkedTo, out, log)));
    }
  }
  for (const project of all.filter(({ library }) => !library.usesLibtorch)) {
    libraries.push(...(await build(project, undefined, out, log)));
  }
  writeFileSync(join(out, 'prebuilt.json'), `${JSON.stringify(libraries, null, 2)}\n`);
  return libraries;
}

async function build(
  project: NativeProject,
  libtorch: LinkedLibtorch | undefined,
  out: string,
  log: Log,
): Promise<PrebuiltLibrary[]> {
  const compiler = findOrInstallCompiler(log);
  const machine = { compiler: compiler.program, libtorch, log };
  const version = libtorch?.version.split('.').slice(0, 2).join('.');
  const built: PrebuiltLibrary[] = [];
  for (const [i, plan] of (project.portablePlans?.(machine) ?? [project.plan(machine)]).entries()) {
    const folder = [...(version ? [`libtorch-${version}`] : []), ...(i > 0 ? [`variant-${i + 1}`] : [])];
    const file = [...folder, project.library.file].join('/');
    log(`building ${file}`);
    const objects = await compileObjects({ project, compiler, libtorch, log }, plan);
    const target = join(out, file);
    mkdirSync(dirname(target), { recursive: true });
    // -s strips symbols that only a debugger needs.
    const flags = [...linkFlags(libtorch, runPathPlaceholder), '-s'];
    await compile(compiler.program, [...flags, ...linked(target, objects, plan, libtorch)]);
    built.push({
      library: libraryKey(project.library),
      file,
      libtorch: version ? { version, files: libtorchFiles(target) } : null,
    });
  }
  return built;
}

/** Lists the libtorch files that a library needs; Debian names them differently than pytorch.org. */
function libtorchFiles(library: string): string[] {
  const needed = output('readelf', ['-d', library])?.matchAll(/\(NEEDED\).*\[((?:libtorch|libc10)[^\]]*)\]/g);
  const files = Array.from(needed ?? [], ([, file = '']) => file);
  if (files.length === 0) throw new SetupError(`${library} is not linked with libtorch`);
  return files;
}

function openLibtorch(folder: string): LinkedLibtorch {
  const found =
    folder === 'system'
      ? lookForLibtorch().libtorch
      : describeLibtorch({ origin: 'LIBTORCH', include: join(folder, 'include'), lib: join(folder, 'lib') });
  if (!found || found.include.length === 0) throw new SetupError(`${folder}: no libtorch with headers`);
  const hasCuda = readdirSync(found.lib).includes('libtorch_cuda.so');
  if (hasCuda || !existsSync(found.file)) throw new SetupError(`${folder}: not a CPU libtorch`);
  return found;
}
