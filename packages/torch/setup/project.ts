// What setup is told about a library to build.

import type { LinkedLibtorch, NativeLibrary } from '@anyclass/torch/builds';
import type { Log } from './shell.js';

/** A native library and how it is built. */
export interface NativeProject {
  readonly library: NativeLibrary;
  /** What it is, for the line that says that it is being built. */
  readonly title: string;
  /** How to build it on this machine; it may look for, or install, what it needs. */
  readonly plan: (machine: Machine) => BuildPlan;
  /** How to build it for other machines, which may lack what this one has; the first that loads there is used. Default: `plan`. */
  readonly portablePlans?: (machine: Machine) => readonly BuildPlan[];
}

export interface Machine {
  /** The C++ compiler. */
  readonly compiler: string;
  /** Undefined for a library that does not use it. */
  readonly libtorch: LinkedLibtorch | undefined;
  readonly log: Log;
}

export interface BuildPlan {
  /** Whether a source file, by its name without folders, belongs in it. Default: all do. */
  readonly uses?: (file: string) => boolean;
  /** Of the C++ compiler, beside libtorch's own and the language's standard. */
  readonly flags: readonly string[];
  readonly linkFlags: readonly string[];
  /** The compiler of its .cu files. */
  readonly cuda?: { readonly nvcc: string; readonly flags: readonly string[] };
}
