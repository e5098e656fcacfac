// Finds libtorch: the folder in LIBTORCH, with LIBTORCH_USE_PYTORCH=1 the one inside python3's torch, else the
// system's own, which is installed on Debian and Ubuntu where it is missing.

import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { output, run, SetupError } from './shell.mjs';

const debianPackages = ['libtorch-dev', 'libopenblas0-openmp'];

/**
 * @typedef {object} Libtorch
 * @property {string} origin how it was found
 * @property {string} version
 * @property {string[]} include
 * @property {string} lib
 * @property {string | undefined} cuda the CUDA toolkit's folder, where libtorch was built with CUDA
 * @property {boolean} distributed whether it has process groups (c10d with Gloo)
 * @property {string | undefined} nccl the folder of nccl.h, where its process groups have NCCL
 * @property {string[]} flags for the C++ compiler
 */

/** @returns {Libtorch} */
export function findOrInstallLibtorch() {
  if (process.env['LIBTORCH']) return fromFolder(process.env['LIBTORCH']);
  if (process.env['LIBTORCH_USE_PYTORCH'] === '1') return fromPython();
  const found = fromSystem();
  if (found && hasFastBlas()) return found;
  installDebianPackages(found ? 'its BLAS is the slow reference one' : 'it is not installed');
  const installed = fromSystem();
  if (!installed)
    throw new SetupError(
      'libtorch-dev is installed, but its headers or libraries are not where Debian puts them',
    );
  return installed;
}

/** @param {string} folder @returns {Libtorch} */
function fromFolder(folder) {
  const found = describe('LIBTORCH', join(folder, 'include'), join(folder, 'lib'), []);
  if (!found)
    throw new SetupError(
      `LIBTORCH=${folder} holds no libtorch: expected include/torch and lib/libtorch.so below it`,
    );
  return found;
}

/** @returns {Libtorch} */
function fromPython() {
  const script =
    'import torch, os; print(os.path.dirname(torch.__file__)); print(int(torch._C._GLIBCXX_USE_CXX11_ABI))';
  const answer = output('python3', ['-c', script])?.split('\n');
  const folder = answer?.[0];
  if (!folder) throw new SetupError('LIBTORCH_USE_PYTORCH=1, but python3 cannot import torch');
  const found = describe('python3', join(folder, 'include'), join(folder, 'lib'), [
    `-D_GLIBCXX_USE_CXX11_ABI=${answer[1]}`,
  ]);
  if (!found) throw new SetupError(`python3's torch in ${folder} comes without headers or libraries`);
  return found;
}

/** @returns {Libtorch | undefined} */
function fromSystem() {
  const triplet = output('g++', ['-print-multiarch']) ?? '';
  return ['/usr', '/usr/local']
    .flatMap((prefix) =>
      [join(prefix, 'lib', triplet), join(prefix, 'lib')].map((lib) =>
        describe('system', join(prefix, 'include'), lib, []),
      ),
    )
    .find((found) => found !== undefined);
}

/**
 * @param {string} origin
 * @param {string} include
 * @param {string} lib
 * @param {string[]} flags
 * @returns {Libtorch | undefined}
 */
function describe(origin, include, lib, flags) {
  const api = join(include, 'torch/csrc/api/include');
  // Newer versions keep the numbers in a header of their own.
  const header = [join(include, 'torch/headeronly/version.h'), join(api, 'torch/version.h')].find((file) =>
    existsSync(file),
  );
  if (!header || !existsSync(join(lib, 'libtorch.so'))) return undefined;
  const text = readFileSync(header, 'utf8');
  const [major, minor, patch] = ['MAJOR', 'MINOR', 'PATCH'].map((part) =>
    Number(text.match(new RegExp(`TORCH_VERSION_${part} (\\d+)`))?.[1]),
  );
  if (major === undefined || minor === undefined || major < 1 || (major === 1 && minor < 13)) {
    throw new SetupError(`libtorch ${major}.${minor} in ${lib} is too old: anyclass needs 1.13 or newer`);
  }
  const standard = major > 2 || (major === 2 && minor >= 10) ? '-std=c++20' : '-std=c++17';
  const cuda = existsSync(join(lib, 'libtorch_cuda.so')) ? cudaToolkit() : undefined;
  const nccl = cuda && hasSymbol(join(lib, 'libtorch_cuda.so'), 'ProcessGroupNCCL');
  return {
    origin,
    version: `${major}.${minor}.${patch}`,
    include: [include, api],
    lib,
    cuda,
    distributed: hasSymbol(join(lib, 'libtorch_cpu.so'), 'ProcessGroupGloo'),
    nccl: nccl ? ncclHeaders(lib, cuda) : undefined,
    flags: [standard, ...flags],
  };
}

/** @returns {string | undefined} */
function cudaToolkit() {
  const nvcc = output('sh', ['-c', 'command -v nvcc']);
  const candidates = [process.env['CUDA_HOME'], '/usr/local/cuda', nvcc && join(realpathSync(nvcc), '../..')];
  return candidates.find((folder) => folder && existsSync(join(folder, 'include/cuda_runtime_api.h')));
}

/** @param {string} library @param {string} name part of a mangled name */
function hasSymbol(library, name) {
  return output('sh', ['-c', `nm -D --defined-only '${library}' | grep -q ${name}`]) !== undefined;
}

/**
 * The folder of nccl.h: beside pip's torch, which brings its own NCCL, in the CUDA toolkit or in the system.
 *
 * @param {string} lib
 * @param {string} cuda
 */
function ncclHeaders(lib, cuda) {
  const candidates = [
    join(lib, '../../nvidia/nccl/include'),
    join(cuda, 'include'),
    '/usr/include',
    '/usr/local/include',
  ];
  const found = candidates.find((folder) => existsSync(join(folder, 'nccl.h')));
  if (!found) console.log('setup: no nccl.h here, so process groups talk over Gloo alone, on GPUs too');
  return found;
}

function hasFastBlas() {
  const blas = output('sh', ['-c', 'readlink -f /usr/lib/*/libblas.so.3']);
  return blas === undefined || !/\/blas\//.test(blas);
}

/** @param {string} reason */
function installDebianPackages(reason) {
  const command = `apt-get update && apt-get install -y ${debianPackages.join(' ')}`;
  console.log(`setup: libtorch is needed, and ${reason}`);
  if (!output('sh', ['-c', 'command -v apt-get'])) {
    throw new SetupError(
      'no apt-get here: unpack libtorch 1.13 or newer from pytorch.org and set LIBTORCH to its folder, or set LIBTORCH_USE_PYTORCH=1 to use the torch of python3',
    );
  }
  if (process.getuid?.() !== 0)
    throw new SetupError(`run this as root, then set up again:\n\n  ${command}\n`);
  const quiet = { DEBIAN_FRONTEND: 'noninteractive' };
  run('apt-get', ['update', '-q'], quiet);
  run('apt-get', ['install', '-y', '-q', '--no-install-recommends', ...debianPackages], quiet);
}
