// packages/anyclass/native except for its image reader: a library that registers fused operators with
// libtorch. It includes the CUDA kernels if libtorch has CUDA and nvcc is available. Without them, GPUs run
// compositions of libtorch's own operators, and images are augmented on the CPU.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type NativeProject, output, programPath } from '@anyclass/torch/setup';
import { fusedLibrary } from '../kernels/fusedLibrary.js';

export const fusedProject: NativeProject = {
  library: fusedLibrary,
  title: 'the fused operators',
  plan({ libtorch, log }) {
    const nvcc = libtorch?.cuda ? findNvcc(libtorch.cuda) : undefined;
    if (libtorch?.cuda && !nvcc) {
      log('nvcc was not found; loss, norms and augmentation run on GPUs without dedicated kernels');
    }
    // Apple's compiler has no OpenMP, so loops that would run on several threads stay on one there.
    const threads = process.platform === 'darwin' ? [] : ['-fopenmp'];
    return {
      uses: (file) => nvcc !== undefined || !file.startsWith('cuda'),
      // These let the compiler vectorize the loops over classes without breaking NaN.
      flags: ['-O3', '-fno-math-errno', '-fno-trapping-math', ...threads],
      linkFlags: threads,
      ...(nvcc === undefined ? {} : { cuda: { nvcc, flags: nvccFlags() } }),
    };
  },
};

function findNvcc(toolkit: string): string | undefined {
  const own = join(toolkit, 'bin/nvcc');
  return existsSync(own) ? own : programPath('nvcc');
}

function nvccFlags(): string[] {
  return ['-O3', '-std=c++17', '-Xcompiler', '-fPIC', ...targets().map((target) => `-gencode=${target}`)];
}

// The GPUs of this machine; without any, the data center generations that both CUDA 12 and 13 support.
function targets(): string[] {
  const capabilities = output('nvidia-smi', ['--query-gpu=compute_cap', '--format=csv,noheader']);
  const found = [...new Set(capabilities?.match(/\d+\.\d+/g))].map((version) => version.replace('.', ''));
  if (found.length > 0) return found.map((version) => `arch=compute_${version},code=sm_${version}`);
  return ['arch=compute_80,code=sm_80', 'arch=compute_90,code=[sm_90,compute_90]'];
}
