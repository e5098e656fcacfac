// Describes the libtorch found in a folder of headers and a folder of libraries.

import { existsSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import type { LinkedLibtorch } from '@anyclass/torch/builds';
import { programPath, SetupError } from './shell.js';

export interface LibtorchPlace {
  readonly origin: string;
  readonly include: string;
  readonly lib: string;
  /** Compiler flags, besides the language standard. */
  readonly flags?: readonly string[];
}

/** Returns undefined if there is no libtorch. Without headers, `include` is empty, which is enough for prebuilt libraries. */
export function describeLibtorch({
  origin,
  include,
  lib,
  flags = [],
}: LibtorchPlace): LinkedLibtorch | undefined {
  const file = libraryFile(lib);
  if (file === undefined) return undefined;
  const api = join(include, 'torch/csrc/api/include');
  // Newer versions keep the version numbers in a separate header.
  const header = [join(include, 'torch/headeronly/version.h'), join(api, 'torch/version.h')].find(
    (candidate) => existsSync(candidate),
  );
  const version = header === undefined ? versionOfFile(file) : versionInHeader(readFileSync(header, 'utf8'));
  if (version === undefined) return undefined;
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major < 1 || (major === 1 && minor < 13)) {
    throw new SetupError(`libtorch ${version} in ${lib} is too old: anyclass needs 1.13 or newer`);
  }
  const standard = major > 2 || (major === 2 && minor >= 10) ? '-std=c++20' : '-std=c++17';
  const hasCuda = existsSync(join(lib, 'libtorch_cuda.so'));
  return {
    origin,
    version,
    include: header === undefined ? [] : [include, api],
    lib,
    file,
    cuda: hasCuda ? cudaToolkit() : undefined,
    flags: [standard, ...flags],
  };
}

/** Finds the library that does the computing; its name ends in a version if only the runtime package is installed. */
function libraryFile(lib: string): string | undefined {
  const plain = ['libtorch_cpu.so', 'libtorch_cpu.dylib'].map((name) => join(lib, name));
  const found = plain.find((candidate) => existsSync(candidate));
  if (found !== undefined || !existsSync(lib)) return found;
  const versioned = readdirSync(lib).find((name) => /^libtorch_cpu\.so\.\d+\.\d+$/.test(name));
  return versioned && join(lib, versioned);
}

function versionOfFile(file: string): string | undefined {
  return /\.so\.(\d+\.\d+)$/.exec(realpathSync(file))?.[1];
}

function versionInHeader(text: string): string | undefined {
  const parts = ['MAJOR', 'MINOR', 'PATCH'].map(
    (part) => new RegExp(`TORCH_VERSION_${part} (\\d+)`).exec(text)?.[1],
  );
  return parts.includes(undefined) ? undefined : parts.join('.');
}

function cudaToolkit(): string | undefined {
  const nvcc = programPath('nvcc');
  const candidates = [process.env['CUDA_HOME'], '/usr/local/cuda', nvcc && join(realpathSync(nvcc), '../..')];
  return candidates.find((folder) => folder && existsSync(join(folder, 'include/cuda_runtime_api.h')));
}
