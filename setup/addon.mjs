// Builds packages/torch/native into packages/torch/build/torch.node: one compiler call per source file, side by side.

import { execFile, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { fingerprint, root, SetupError } from './shell.mjs';

const native = join(root, 'packages/torch/native');
const build = join(root, 'packages/torch/build');

/** @param {import('./libtorch.mjs').Libtorch} libtorch */
export async function buildAddon(libtorch) {
  const sources = readdirSync(native).filter(
    (file) => file.endsWith('.cc') && file !== (libtorch.cuda ? 'cuda_none.cc' : 'cuda.cc'),
  );
  const headers = readdirSync(native).filter((file) => file.endsWith('.h'));
  const expected = fingerprint(
    [...sources, ...headers].map((file) => join(native, file)),
    [JSON.stringify(libtorch)],
  );
  const stamp = join(build, 'fingerprint');
  if (existsSync(join(build, 'torch.node')) && existsSync(stamp) && readFileSync(stamp, 'utf8') === expected)
    return;

  const compiler = process.env['CXX'] ?? 'g++';
  if (spawnSync(compiler, ['--version']).status !== 0) {
    throw new SetupError(
      `no C++ compiler '${compiler}': install g++ (Debian: apt-get install -y g++) or set CXX`,
    );
  }
  console.log(
    `setup: building the addon against libtorch ${libtorch.version} (${libtorch.origin}), about half a minute`,
  );
  mkdirSync(build, { recursive: true });
  await compileAll(compiler, sources, compileFlags(libtorch));
  await link(compiler, sources, libtorch);
  writeFileSync(join(build, 'libtorch.json'), `${JSON.stringify(libtorch, null, 2)}\n`);
  writeFileSync(stamp, expected);
}

/** @param {import('./libtorch.mjs').Libtorch} libtorch */
function compileFlags(libtorch) {
  const includes = [join(root, 'node_modules/node-api-headers/include'), ...libtorch.include];
  if (libtorch.cuda) includes.push(join(libtorch.cuda, 'include'));
  return [
    '-O2',
    '-fPIC',
    '-fvisibility=hidden',
    ...libtorch.flags,
    ...includes.flatMap((folder) => ['-I', folder]),
  ];
}

/**
 * @param {string} compiler
 * @param {string[]} sources
 * @param {string[]} flags
 */
async function compileAll(compiler, sources, flags) {
  const waiting = [...sources];
  const worker = async () => {
    for (let source = waiting.pop(); source; source = waiting.pop()) {
      await compile(compiler, [...flags, '-c', join(native, source), '-o', objectFile(source)]);
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, worker));
}

/**
 * @param {string} compiler
 * @param {string[]} sources
 * @param {import('./libtorch.mjs').Libtorch} libtorch
 */
async function link(compiler, sources, libtorch) {
  const libraries = [
    '-ltorch',
    '-ltorch_cpu',
    '-lc10',
    ...(libtorch.cuda ? ['-ltorch_cuda', '-lc10_cuda', `-L${libtorch.cuda}/lib64`, '-lcudart'] : []),
  ];
  const unfinished = join(build, 'torch.node.new');
  // nodelete: libtorch cannot be unloaded, so the addon stays when a worker thread that loaded it ends.
  // no-as-needed: libtorch_cuda registers its operators by being there, though no symbol asks for it.
  await compile(compiler, [
    '-shared',
    '-o',
    unfinished,
    ...sources.map(objectFile),
    `-L${libtorch.lib}`,
    `-Wl,-rpath,${libtorch.lib}`,
    '-Wl,-z,nodelete',
    '-Wl,--no-as-needed',
    ...libraries,
    '-ldl',
  ]);
  renameSync(unfinished, join(build, 'torch.node'));
}

/** @param {string} source */
function objectFile(source) {
  return join(build, source.replace(/\.cc$/, '.o'));
}

/**
 * @param {string} compiler
 * @param {string[]} parameters
 */
async function compile(compiler, parameters) {
  try {
    await promisify(execFile)(compiler, parameters, { maxBuffer: 64 << 20 });
  } catch (error) {
    const details = error instanceof Error && 'stderr' in error ? error.stderr : error;
    throw new SetupError(`${compiler} ${parameters.join(' ')} failed:\n${details}`);
  }
}
