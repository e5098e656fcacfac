// Builds packages/anyclass/native, all but its reader of images, into a library that registers fused operators with
// libtorch. The CUDA kernels are part of it where libtorch has CUDA and nvcc is at hand; without them, GPUs run
// compositions of libtorch's own operators, and images are augmented on the CPU.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { buildNativeLibrary } from './nativeLibrary.mjs';
import { output } from './shell.mjs';

const subjects = ['augment', 'depthwise', 'loss', 'norm', 'shared'];

/** @param {import('./libtorch.mjs').Libtorch} libtorch */
export async function buildFusedLibrary(libtorch) {
  const nvcc = libtorch.cuda ? findNvcc(libtorch.cuda) : undefined;
  if (libtorch.cuda && !nvcc) {
    console.log(
      'setup: no nvcc here, so loss, norms and augmentation run on GPUs without kernels of their own',
    );
  }
  await buildNativeLibrary(
    {
      title: 'the fused operators',
      sourceFolders: subjects.map((subject) => `packages/anyclass/native/${subject}`),
      library: 'packages/anyclass/build/libanyclass.so',
      uses: (file) => nvcc !== undefined || !file.startsWith('cuda'),
      // What lets the compiler turn the loops over classes into vector instructions, without giving up NaN.
      flags: ['-O3', '-fopenmp', '-fno-math-errno', '-fno-trapping-math'],
      linkFlags: ['-fopenmp'],
      ...(nvcc === undefined ? {} : { cuda: { nvcc, flags: nvccFlags() } }),
    },
    libtorch,
  );
}

/**
 * @param {string} toolkit
 * @returns {string | undefined}
 */
function findNvcc(toolkit) {
  const own = join(toolkit, 'bin/nvcc');
  return existsSync(own) ? own : output('sh', ['-c', 'command -v nvcc']);
}

function nvccFlags() {
  return ['-O3', '-std=c++17', '-Xcompiler', '-fPIC', ...targets().map((target) => `-gencode=${target}`)];
}

// The GPUs that are here; without one, the data center generations that CUDA 12 and 13 both know.
function targets() {
  const capabilities = output('nvidia-smi', ['--query-gpu=compute_cap', '--format=csv,noheader']);
  const found = [...new Set(capabilities?.match(/\d+\.\d+/g))].map((version) => version.replace('.', ''));
  if (found.length > 0) return found.map((version) => `arch=compute_${version},code=sm_${version}`);
  return ['arch=compute_80,code=sm_80', 'arch=compute_90,code=[sm_90,compute_90]'];
}
