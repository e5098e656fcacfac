import { fileURLToPath } from 'node:url';
import type { NativeProject, PrebuiltSource } from '@anyclass/torch/setup';
import { fusedProject } from './fusedProject.js';
import { imagesProject } from './imagesProject.js';

/** What setup builds for this package, in addition to the engine. */
export const nativeProjects: readonly NativeProject[] = [fusedProject, imagesProject];

/** The npm package with all of them built for this platform. */
export const prebuiltLibraries: PrebuiltSource = {
  packageName: `@anyclass/native-${process.platform}-${process.arch}`,
  from: fileURLToPath(import.meta.url),
};
