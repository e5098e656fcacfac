// Compiles a native library into the cache. Object files are kept under a hash of their inputs, so that an interrupted
// build resumes and a change recompiles only what it affects. A finished build is moved into place in one step, so that
// no build is ever incomplete.

import { createHash, type Hash, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { basename, join } from 'node:path';
import { homeFolder } from '@anyclass/files';
import {
  type Build,
  buildsFolder,
  type LinkedLibtorch,
  libraryKey,
  libtorchBytes,
  type NativeLibrary,
  sourceFiles,
} from '@anyclass/torch/builds';
import { compile } from './compile.js';
import { type Compiler, compileFlags, libraries, linkFlags, nodeApiVersion } from './compiler.js';
import type { BuildPlan, NativeProject } from './project.js';
import { type Log, output, SetupError } from './shell.js';

export interface BuildRequest {
  readonly project: NativeProject;
  readonly compiler: Compiler;
  /** Undefined for a library that does not use it. */
  readonly libtorch: LinkedLibtorch | undefined;
  readonly log: Log;
}

export interface BuiltLibrary {
  readonly library: NativeLibrary;
  /** The name of its folder among the library's builds. */
  readonly build: string;
  readonly path: string;
  readonly builder: string;
  /** False if it was already built. */
  readonly isNew: boolean;
}

/** Builds a library if the cache does not have it yet. */
export async function buildLibrary(request: BuildRequest): Promise<BuiltLibrary> {
  const { project, compiler, libtorch, log } = request;
  const { library } = project;
  const plan = project.plan({ compiler: compiler.program, libtorch, log });
  const build = buildName(request, plan);
  const folder = join(buildsFolder(library), build);
  const built = { library, build, path: join(folder, library.file), builder: compiler.name };
  if (existsSync(folder)) return { ...built, isNew: false };
  const against = libtorch ? ` against libtorch ${libtorch.version} (${libtorch.origin})` : '';
  log(`building ${project.title}${against} with ${compiler.name}`);
  const objects = await compileObjects(request, plan);
  await wholeFolder(folder, async (draft) => {
    await compile(compiler.program, [
      ...linkFlags(libtorch),
      ...linked(join(draft, library.file), objects, plan, libtorch),
    ]);
    const record: Build = {
      library: libraryKey(library),
      builder: compiler.name,
      libtorch,
      libtorchBytes: libtorch && libtorchBytes(libtorch),
    };
    writeFileSync(join(draft, 'build.json'), `${JSON.stringify(record, null, 2)}\n`);
  });
  return { ...built, isNew: true };
}

/** Returns the last part of the linker's command line. */
export function linked(
  file: string,
  objects: readonly string[],
  plan: BuildPlan,
  libtorch: LinkedLibtorch | undefined,
): string[] {
  return ['-o', file, ...objects, ...plan.linkFlags, ...libraries(libtorch)];
}

/** Makes a folder that is complete or absent; if another process was faster, its folder stays. */
export async function wholeFolder(folder: string, fill: (draft: string) => Promise<void>): Promise<void> {
  const draft = `${folder}.partial-${process.pid}-${randomBytes(4).toString('hex')}`;
  try {
    mkdirSync(draft, { recursive: true });
    await fill(draft);
    if (!existsSync(folder)) renameSync(draft, folder);
  } catch (error) {
    if (!existsSync(folder)) throw error;
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

function buildName(request: BuildRequest, plan: BuildPlan): string {
  const { project, compiler, libtorch } = request;
  const hash = planHash(request, plan).update(withoutPlace(plan.linkFlags, project));
  for (const file of compiledFiles(project.library, plan)) hash.update(file);
  const parts = [
    ...(libtorch ? [`libtorch-${libtorch.version}`] : []),
    compiler.name.replace(' ', '-'),
    hash.digest('hex').slice(0, 12),
  ];
  return parts.join('-').replaceAll('/', '_');
}

/** Hashes everything except the sources that determines an object file. */
function planHash({ project, compiler, libtorch }: BuildRequest, plan: BuildPlan): Hash {
  const toolkit = plan.cuda ? output(plan.cuda.nvcc, ['--version']) : '';
  const parts = [compiler.name, nodeApiVersion, libtorch, plan.flags, plan.cuda, toolkit];
  return createHash('sha256').update(withoutPlace(parts, project));
}

/** Returns a value as text without the package's folder, so that all installed copies share a build. */
function withoutPlace(value: unknown, { library }: NativeProject): string {
  return JSON.stringify(value).replaceAll(JSON.stringify(library.packageFolder).slice(1, -1), '');
}

function compiledFiles(library: NativeLibrary, { uses = () => true }: BuildPlan): string[] {
  return sourceFiles(library).filter((file) => /\.(cc|cu)$/.test(file) && uses(basename(file)));
}

/** Compiles what the cache lacks, and returns the paths of all object files. */
export async function compileObjects(request: BuildRequest, plan: BuildPlan): Promise<string[]> {
  const { library } = request.project;
  const objectsFolder = join(homeFolder(), 'objects');
  mkdirSync(objectsFolder, { recursive: true });
  const read = (file: string) => readFileSync(join(library.packageFolder, file));
  const shared = planHash(request, plan);
  for (const header of sourceFiles(library).filter((file) => file.endsWith('.h'))) {
    shared.update(header).update(read(header));
  }
  const waiting: (() => Promise<void>)[] = [];
  const objects = compiledFiles(library, plan).map((file) => {
    const name = shared.copy().update(file).update(read(file)).digest('hex').slice(0, 32);
    const object = join(objectsFolder, `${name}.o`);
    if (!existsSync(object)) waiting.push(() => compileObject(request, plan, file, object));
    return object;
  });
  await sideBySide(waiting);
  return objects;
}

async function compileObject(
  { project, compiler, libtorch }: BuildRequest,
  plan: BuildPlan,
  file: string,
  object: string,
): Promise<void> {
  const { packageFolder } = project.library;
  const draft = `${object}.${process.pid}-${randomBytes(4).toString('hex')}`;
  const files = ['-c', join(packageFolder, file), '-o', draft];
  try {
    if (file.endsWith('.cu')) {
      if (!plan.cuda) throw new SetupError(`${file} needs nvcc`);
      await compile(plan.cuda.nvcc, [...plan.cuda.flags, ...files]);
    } else {
      await compile(compiler.program, [...compileFlags(packageFolder, libtorch), ...plan.flags, ...files]);
    }
    renameSync(draft, object);
  } finally {
    rmSync(draft, { force: true });
  }
}

async function sideBySide(waiting: (() => Promise<void>)[]): Promise<void> {
  const worker = async () => {
    for (let work = waiting.shift(); work; work = waiting.shift()) await work();
  };
  await Promise.all(Array.from({ length: availableParallelism() }, worker));
}
