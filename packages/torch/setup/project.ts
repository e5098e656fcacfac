// What setup needs to know about a library to build it.

import type { LinkedLibtorch, NativeLibrary } from '@anyclass/torch/builds';
import type { Log } from './shell.js';

/** A native library and how it is built. */
export interface NativeProject {
  readonly library: NativeLibrary;
  /** Its name in the log line about building it. */
  readonly title: string;
  /** Returns how to build it on this machine; may look for, or install, what it needs. */
  readonly plan: (machine: Machine) => BuildPlan;
  /** Returns how to build it for machines that may lack what this one has; the first that loads is used. Default: `plan`. */
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
  /** Whether a source file, given by its base name, belongs in the build. Default: all do. */
  readonly uses?: (file: string) => boolean;
  /** Flags for the C++ compiler, besides libtorch's and the language standard. */
  readonly flags: readonly string[];
  readonly linkFlags: readonly string[];
  /** The compiler for .cu files. */
  readonly cuda?: { readonly nvcc: string; readonly flags: readonly string[] };
}
